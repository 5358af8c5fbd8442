// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A set in the order of joining, mostly of one: then without a collection. Adding, removing and
 * taking the first take the same time however many there are. Guarded by its owner.
 */
final class MemberSet<T> {

  private @Nullable T first;
  private @Nullable Set<T> others;

  void add(T member) {
    if (first == null) {
      first = member;
      return;
    }
    if (others == null) {
      others = new LinkedHashSet<>();
    }
    others.add(member);
  }

  /** Adds one before all others; this is rare, and takes the longer the more there are. */
  void addFirst(T member) {
    List<T> all = takeAll();
    add(member);
    all.forEach(this::add);
  }

  boolean remove(T member) {
    if (!member.equals(first)) {
      return others != null && others.remove(member);
    }
    first = null;
    if (others != null) {
      Iterator<T> rest = others.iterator();
      if (rest.hasNext()) {
        first = rest.next();
        rest.remove();
      }
    }
    return true;
  }

  @Nullable T first() {
    return first;
  }

  boolean isEmpty() {
    return first == null;
  }

  boolean hasOthers() {
    return others != null && !others.isEmpty();
  }

  void forEach(Consumer<? super T> action) {
    if (first != null) {
      action.accept(first);
    }
    if (others != null) {
      others.forEach(action);
    }
  }

  List<T> all() {
    T first = this.first;
    if (first == null) {
      return List.of();
    }
    if (others == null || others.isEmpty()) {
      return List.of(first);
    }
    List<T> all = new ArrayList<>(others.size() + 1);
    all.add(first);
    all.addAll(others);
    return all;
  }

  /** Removes all, and returns them. */
  List<T> takeAll() {
    List<T> all = all();
    first = null;
    others = null;
    return all;
  }
}
