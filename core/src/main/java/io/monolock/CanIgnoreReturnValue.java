// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Methods of a type return what they were called on; the opposite of {@link CheckReturnValue}. */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD})
@interface CanIgnoreReturnValue {}
