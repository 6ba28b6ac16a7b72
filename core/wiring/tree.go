package wiring

import (
	"errors"
	"reflect"
	"slices"
)

var errShape = errors.New("the path leads through something that is no object")

// assigned is tree with the value at path, as an object would hold it.
func assigned(tree any, path []string, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	m, ok := tree.(map[string]any)
	if tree == nil {
		m, ok = map[string]any{}, true
	}
	if !ok {
		return nil, errShape
	}
	child, err := assigned(m[path[0]], path[1:], value)
	if err != nil {
		return nil, err
	}
	m[path[0]] = child
	return m, nil
}

// appended is tree with the value in the array at path, at the place where
// other has it.
func appended(tree, other any, path []string, value any) (any, error) {
	if len(path) == 0 {
		have, ok := tree.([]any)
		there, ok2 := other.([]any)
		if tree != nil && !ok || !ok2 {
			return nil, errShape
		}
		for i := len(there) - 1; i >= 0; i-- {
			if i <= len(have) && reflect.DeepEqual(there[i], value) {
				return slices.Insert(slices.Clone(have), i, value), nil
			}
		}
		return nil, errShape
	}
	m, ok := tree.(map[string]any)
	if tree == nil {
		m, ok = map[string]any{}, true
	}
	o, ok2 := other.(map[string]any)
	if !ok || !ok2 {
		return nil, errShape
	}
	child, err := appended(m[path[0]], o[path[0]], path[1:], value)
	if err != nil {
		return nil, err
	}
	m[path[0]] = child
	return m, nil
}
