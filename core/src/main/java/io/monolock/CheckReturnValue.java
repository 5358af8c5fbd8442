// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What the methods of a type return has to be used: a Mono that is not subscribed locks nothing.
 * ErrorProne knows the annotation by its simple name, so that no dependency is needed.
 */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD})
@interface CheckReturnValue {}
