// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.monolock.LockObserver;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Mockito;

class ObserversAsOneTest {

  static List<Method> events() {
    return Arrays.stream(LockObserver.class.getDeclaredMethods())
        .filter(method -> !method.isSynthetic())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("events")
  void eachEventIsPassedToEachObserver(Method event) throws Exception {
    LockObserver first = mock(LockObserver.class);
    LockObserver second = mock(LockObserver.class);
    Object[] arguments =
        Arrays.stream(event.getParameterTypes()).map(ObserversAsOneTest::any).toArray();

    event.invoke(new ObserversAsOne(List.of(first, second), 0), arguments);

    for (LockObserver observer : List.of(first, second)) {
      assertThat(Mockito.mockingDetails(observer).getInvocations())
          .singleElement()
          .satisfies(
              call -> {
                assertThat(call.getMethod().getName()).isEqualTo(event.getName());
                assertThat(call.getRawArguments()).isEqualTo(arguments);
              });
    }
  }

  @Test
  void acquisitionsOfDifferentLockersHaveDifferentNumbers() {
    LockObserver observer = mock(LockObserver.class);
    for (long locker = 0; locker < 3; locker++) {
      new ObserversAsOne(List.of(observer), locker).waiting(7, Set.of());
    }
    assertThat(Mockito.mockingDetails(observer).getInvocations())
        .extracting(call -> call.getArgument(0))
        .doesNotHaveDuplicates()
        .contains(7L);
  }

  private static Object any(Class<?> type) {
    if (type == long.class) {
      return 7L;
    }
    if (type == int.class) {
      return 8;
    }
    if (type == boolean.class) {
      return true;
    }
    return null;
  }
}
