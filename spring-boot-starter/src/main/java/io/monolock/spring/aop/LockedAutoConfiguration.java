// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import io.monolock.spring.SkipObserver;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Puts a lock around the methods that are {@link io.monolock.spring.Locked}.
 *
 * <p>It does so in every application, so that the annotation is never silently ignored: without a
 * locker the start fails as soon as a method has it.
 */
@AutoConfiguration
@Import(LockedAutoConfiguration.AutoProxies.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockedAutoConfiguration {

  /** Created by Spring. */
  LockedAutoConfiguration() {}

  /** Made before all other beans, so it must not ask for any of them yet. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static LockedAdvisor monolockLockedAdvisor(BeanFactory beans, Environment environment) {
    return new LockedAdvisor(
        new LockedMethods(new LockedMethod.Reader(beans, environment)),
        new Lockers(beans),
        beans.getBeanProvider(SkipObserver.class));
  }

  /** Asks Spring for proxies without AspectJ; of which kind they are is left to Spring Boot. */
  static final class AutoProxies implements ImportBeanDefinitionRegistrar {

    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    }
  }
}
