package localtool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// mostValue is how many bytes of one argument are also put into a variable:
// systems bound what a program may be started with.
const mostValue = 32 << 10

// variable is the name of the variable that holds an argument.
func variable(param string) string {
	return "CTX_PARAM_" + strings.ToUpper(strings.ReplaceAll(param, "-", "_"))
}

// Environment is what a tool finds in its environment beside what the host's
// servers find: its name, its workspace and its arguments, for programs that are
// spared reading JSON so. A string is put there as it is, anything else as JSON,
// and what is large or cannot be held by a variable is on stdin alone. A required
// argument that is missing is an error.
func (t Tool) Environment(arguments json.RawMessage) ([]string, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &values); err != nil {
		return nil, fmt.Errorf("%s takes a JSON object: %w", t.ID(), err)
	}
	env := []string{"CTX_TOOL_NAME=" + t.Name, "CTX_WORKSPACE=" + t.workspace}
	for _, p := range t.Params {
		if _, ok := values[p.Name]; !ok && p.Required {
			return nil, fmt.Errorf("%s needs the argument %s (%s)", t.ID(), p.Name, p.Type)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text := string(values[name])
		var s string
		if err := json.Unmarshal(values[name], &s); err == nil {
			text = s // null is ""
		}
		if paramName().MatchString(name) && len(text) <= mostValue && !strings.ContainsRune(text, 0) {
			env = append(env, variable(name)+"="+text)
		}
	}
	return env, nil
}
