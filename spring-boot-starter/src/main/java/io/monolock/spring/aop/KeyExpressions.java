// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ObjectUtils;

/** Evaluates the keys of a call, by expressions that were parsed once; a text is one, too. */
final class KeyExpressions {

  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final Pattern VARIABLE = Pattern.compile("#(\\w+)");
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  private final String owner;
  private final List<? extends Expression> expressions;
  private final Method method;
  private final BeanFactoryResolver beans;

  private KeyExpressions(
      String owner,
      List<? extends Expression> expressions,
      Method method,
      BeanFactoryResolver beans) {
    this.owner = owner;
    this.expressions = expressions;
    this.method = method;
    this.beans = beans;
  }

  /**
   * Fails with an IllegalArgumentException when an expression can never give a key.
   *
   * @param owner the annotated method, for messages
   * @param key the key itself, empty if there are expressions
   * @param method whose parameters they may name
   */
  static KeyExpressions parse(
      String owner, String key, List<String> texts, Method method, BeanFactory beans) {
    if (key.isEmpty() == texts.isEmpty()) {
      throw new IllegalArgumentException(
          "it must have either key, a text, or keys, expressions, but has "
              + (key.isEmpty() ? "none" : "both"));
    }
    Set<String> variables = variablesOf(method);
    List<SpelExpression> expressions = texts.stream().map(KeyExpressions::parsed).toList();
    expressions.forEach(expression -> ExpressionCheck.check(expression, variables));
    checkLiteral(key, variables);
    return new KeyExpressions(
        owner,
        key.isEmpty() ? expressions : List.of(new LiteralExpression(key)),
        method,
        new BeanFactoryResolver(beans));
  }

  /** An expression in the wrong place would be one key for all calls. */
  private static void checkLiteral(String key, Set<String> variables) {
    Matcher variable = VARIABLE.matcher(key);
    while (variable.find()) {
      if (variables.contains(variable.group(1))) {
        throw new IllegalArgumentException(
            "key is a text as it stands, but names the parameter "
                + variable.group()
                + ": write the expression as keys, was "
                + key);
      }
    }
  }

  private static SpelExpression parsed(String text) {
    try {
      return PARSER.parseRaw(text);
    } catch (ParseException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the expression \""
              + text
              + "\" for a key cannot be understood: "
              + e.getMessage()
              + (text.isEmpty() ? "" : "; " + ExpressionCheck.asText(text)),
          e);
    }
  }

  private static Set<String> variablesOf(Method method) {
    Set<String> names = new LinkedHashSet<>();
    @Nullable String @Nullable [] parameters = NAMES.getParameterNames(method);
    if (parameters != null) {
      Stream.of(parameters).flatMap(Stream::ofNullable).forEach(names::add);
    }
    for (int i = 0; i < method.getParameterCount(); i++) {
      names.add("p" + i);
      names.add("a" + i);
    }
    names.add("root");
    names.add("this");
    return names;
  }

  Collection<String> evaluate(@Nullable Object target, @Nullable Object[] arguments) {
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(
            new KeyRoot(method, arguments, target), method, arguments, NAMES);
    context.setBeanResolver(beans);
    List<String> keys = new ArrayList<>();
    for (Expression expression : expressions) {
      addKeys(keys, valueOf(expression, context), expression);
    }
    return keys;
  }

  private @Nullable Object valueOf(Expression expression, EvaluationContext context) {
    try {
      return expression.getValue(context);
    } catch (EvaluationException | IllegalArgumentException | IllegalStateException e) {
      throw new IllegalArgumentException(
          text(expression) + " for a key failed: " + e.getMessage(), e);
    }
  }

  private void addKeys(List<String> keys, @Nullable Object value, Expression expression) {
    if (value instanceof Collection<?> several) {
      several.forEach(one -> keys.add(key(one, expression)));
      checkNotEmpty(several.isEmpty(), expression);
    } else if (value != null && value.getClass().isArray()) {
      Object[] several = ObjectUtils.toObjectArray(value);
      for (Object one : several) {
        keys.add(key(one, expression));
      }
      checkNotEmpty(several.length == 0, expression);
    } else {
      keys.add(key(value, expression));
    }
  }

  private void checkNotEmpty(boolean empty, Expression expression) {
    if (empty) {
      throw new IllegalArgumentException(text(expression) + " must give a key, gave none");
    }
  }

  /** Other values than simple ones have another text in each call, which would lock nothing. */
  private String key(@Nullable Object value, Expression expression) {
    if (value == null || !BeanUtils.isSimpleValueType(value.getClass())) {
      throw new IllegalArgumentException(
          text(expression)
              + " must give a text, a number or another simple value as key, gave "
              + (value == null ? "null" : "a " + value.getClass().getName()));
    }
    String key = value instanceof Enum<?> constant ? constant.name() : value.toString();
    if (key.isEmpty()) {
      throw new IllegalArgumentException(
          text(expression) + " must give a key of at least one character, gave an empty one");
    }
    return key;
  }

  private String text(Expression expression) {
    return owner + ": the expression \"" + expression.getExpressionString() + "\"";
  }
}
