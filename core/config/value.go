package config

import (
	"fmt"
	"slices"
	"strings"
)

// wrong says which type or value was wanted and what the file has instead.
func wrong(want string, v value) error {
	return fmt.Errorf("must be %s, not %s", want, describe(v.raw))
}

// describe names a value without spelling out one that may be long or secret.
func describe(raw any) string {
	switch x := raw.(type) {
	case string:
		if len(x) <= 40 {
			return fmt.Sprintf("%q", x)
		}
		return "a string"
	case bool, int64, float64:
		return fmt.Sprint(x)
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	default:
		return "a date or time"
	}
}

func yes(p *bool, v value) error {
	b, ok := v.raw.(bool)
	if !ok {
		return wrong("true or false", v)
	}
	*p = b
	return nil
}

func str(p *string, v value) error {
	s, ok := v.raw.(string)
	if !ok {
		return wrong("a string", v)
	}
	*p = s
	return nil
}

func choice(p *string, v value, words ...string) error {
	s, ok := v.raw.(string)
	if !ok || !slices.Contains(words, s) {
		return wrong(quoted(words), v)
	}
	*p = s
	return nil
}

func quoted(words []string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(q[:len(q)-1], ", ") + " or " + q[len(q)-1]
}

// whole takes integers from least to a bound far beyond every sensible setting.
func whole(p *int, least int64, v value) error {
	const most = 1 << 30
	n, ok := v.raw.(int64)
	if !ok || n < least || n > most {
		return wrong(fmt.Sprintf("a whole number of at least %d", least), v)
	}
	*p = int(n)
	return nil
}

func texts(p *[]string, v value) error {
	const want = "a list of strings"
	list, ok := v.raw.([]any)
	if !ok {
		return wrong(want, v)
	}
	found := make([]string, len(list))
	for i, item := range list {
		s, ok := item.(string)
		if !ok {
			return fmt.Errorf("must be %s: entry %d is %s", want, i+1, describe(item))
		}
		found[i] = s
	}
	*p = found
	return nil
}

func boolean(field func(*Config) *bool) func(*Config, value) error {
	return func(c *Config, v value) error { return yes(field(c), v) }
}

func text(field func(*Config) *string) func(*Config, value) error {
	return func(c *Config, v value) error { return str(field(c), v) }
}

func oneOf(field func(*Config) *string, words ...string) func(*Config, value) error {
	return func(c *Config, v value) error { return choice(field(c), v, words...) }
}

func number(least int64, field func(*Config) *int) func(*Config, value) error {
	return func(c *Config, v value) error { return whole(field(c), least, v) }
}

func list(field func(*Config) *[]string) func(*Config, value) error {
	return func(c *Config, v value) error { return texts(field(c), v) }
}

// fraction is a number from 0 to 1.
func fraction(field func(*Config) **float64) func(*Config, value) error {
	return func(c *Config, v value) error {
		f, ok := v.raw.(float64)
		if n, isInt := v.raw.(int64); isInt {
			f, ok = float64(n), true
		}
		if !ok || !(f >= 0 && f <= 1) { // NaN is neither
			return wrong("a number from 0 to 1", v)
		}
		*field(c) = &f
		return nil
	}
}
