// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import java.beans.Introspector;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Finds what can never be evaluated, whatever the call: variables that there are not, and names
 * that the root has not, as in a text without quotes.
 */
final class ExpressionCheck {

  private static final Set<String> METHODS_OF_ROOT =
      Arrays.stream(KeyRoot.class.getMethods())
          .map(Method::getName)
          .collect(Collectors.toCollection(TreeSet::new));

  private static final Set<String> PROPERTIES_OF_ROOT =
      Arrays.stream(KeyRoot.class.getMethods())
          .map(Method::getName)
          .filter(name -> name.startsWith("get"))
          .map(name -> Introspector.decapitalize(name.substring(3)))
          .collect(Collectors.toCollection(TreeSet::new));

  private final SpelExpression whole;
  private final Collection<String> variables;

  private ExpressionCheck(SpelExpression whole, Collection<String> variables) {
    this.whole = whole;
    this.variables = variables;
  }

  /** Fails with an IllegalArgumentException that says what to write instead. */
  static void check(SpelExpression expression, Collection<String> variables) {
    new ExpressionCheck(expression, variables).check(expression.getAST());
  }

  /** What to write for a text that was meant as it stands. */
  static String asText(String text) {
    return "for a text as it stands, write key = \""
        + text
        + "\", or quote it, keys = \"'"
        + text
        + "'\"";
  }

  /** Looks at a node that is evaluated on the root. */
  private void check(SpelNode node) {
    if (node instanceof VariableReference) {
      checkVariable(node.toStringAST().substring(1));
    } else if (node instanceof PropertyOrFieldReference property) {
      checkName(property.getName(), PROPERTIES_OF_ROOT);
    } else if (node instanceof MethodReference method) {
      checkName(method.getName(), METHODS_OF_ROOT);
    }
    childrenOnRoot(node).forEach(this::check);
  }

  /** What follows a dot is evaluated on what stands before it, of which the class is not known. */
  private void checkBehindDot(SpelNode node) {
    if (node instanceof MethodReference) {
      childrenOnRoot(node).forEach(this::check);
    } else {
      checkVariables(node);
    }
  }

  private Stream<SpelNode> childrenOnRoot(SpelNode node) {
    if (node instanceof CompoundExpression) {
      children(node).skip(1).forEach(this::checkBehindDot);
      return children(node).limit(1);
    }
    if (node instanceof Indexer
        || node instanceof InlineMap
        || node instanceof Projection
        || node instanceof Selection) {
      children(node).forEach(this::checkVariables);
      return Stream.empty();
    }
    return children(node);
  }

  private void checkVariables(SpelNode node) {
    if (node instanceof VariableReference) {
      checkVariable(node.toStringAST().substring(1));
    }
    children(node).forEach(this::checkVariables);
  }

  private static Stream<SpelNode> children(SpelNode node) {
    return Stream.iterate(0, i -> i < node.getChildCount(), i -> i + 1).map(node::getChild);
  }

  /** An unknown one would be null at run time, and all calls would share the key "order:null". */
  private void checkVariable(String name) {
    if (!variables.contains(name)) {
      throw new IllegalArgumentException(
          "the expression \""
              + whole.getExpressionString()
              + "\" for a key names #"
              + name
              + ", but there are only "
              + variables
              + "; names of parameters take the compiler option -parameters");
    }
  }

  private void checkName(String name, Set<String> names) {
    if (!names.contains(name)) {
      throw new IllegalArgumentException(
          "the expression \""
              + whole.getExpressionString()
              + "\" for a key names "
              + name
              + ", which its root has not: "
              + (variables.contains(name)
                  ? "the parameter is #" + name
                  : asText(whole.getExpressionString())));
    }
  }
}
