// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.monolock.store.LockStore;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Mockito;
import org.mockito.invocation.Invocation;
import reactor.core.publisher.Mono;

class SharedStoreTest {

  static List<Method> calls() {
    return Arrays.stream(LockStore.class.getDeclaredMethods())
        .filter(method -> !method.isSynthetic() && !method.getName().equals("close"))
        .toList();
  }

  /** Also those that have a default, which would be another answer than that of the store. */
  @ParameterizedTest
  @MethodSource("calls")
  void eachCallIsPassedOn(Method call) throws Exception {
    LockStore store = mock(LockStore.class);
    Object[] arguments =
        Arrays.stream(call.getParameterTypes()).map(SharedStoreTest::any).toArray();

    Object unused = call.invoke(new SharedStore(store), arguments);

    assertThat(Mockito.mockingDetails(store).getInvocations())
        .extracting(Invocation::getMethod)
        .containsExactly(call);
  }

  @Test
  void itIsNotClosedByOneOfItsLockers() {
    LockStore store = mock(LockStore.class);
    Mono<Void> closed = new SharedStore(store).close();
    assertThat(closed.hasElement().block()).isFalse();
    Mockito.verifyNoInteractions(store);
  }

  private static Object any(Class<?> type) {
    return type == boolean.class ? (Object) true : type == long.class ? (Object) 7L : null;
  }
}
