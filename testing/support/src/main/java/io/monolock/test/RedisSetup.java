// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What the {@link RedisExtension} starts for a test class, if not the default. Stands on the class,
 * a superclass or an interface of it; nested classes have that of the outermost one.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface RedisSetup {

  /**
   * The version of all servers, as {@link RedisServer.Builder#version(String)} takes it.
   *
   * @return {@code 7.0}, {@code 6.2}, or by default the empty text for what the environment says
   */
  String version() default "";

  /**
   * Whether clients of a {@link RedisCluster}, {@link RedisSentinels} or {@link RedisMasters} come
   * through proxies.
   *
   * @return by default false
   */
  boolean behindProxies() default false;

  /**
   * How many servers {@link RedisMasters} has.
   *
   * @return 1 or more, by default 3
   */
  int masters() default 3;
}
