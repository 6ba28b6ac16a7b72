package leakage

import (
	"strings"
	"sync"
)

// languages are what files are written in, by how their names end, or whole.
var languages = map[string]string{
	".go": "Go", ".py": "Python", ".ipynb": "Python", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript",
	".ts": "TypeScript", ".tsx": "TypeScript", ".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala",
	".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++", ".cs": "C#", ".fs": "F#", ".vb": "Visual Basic",
	".rb": "Ruby", ".php": "PHP", ".swift": "Swift", ".m": "Objective-C", ".mm": "Objective-C", ".dart": "Dart",
	".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".clj": "Clojure", ".lua": "Lua", ".pl": "Perl",
	".r": "R", ".jl": "Julia", ".f90": "Fortran", ".sh": "Shell", ".bash": "Shell", ".ps1": "PowerShell", ".zig": "Zig", ".nim": "Nim",
	".sql": "SQL", ".tf": "HCL", ".hcl": "HCL", ".sol": "Solidity", ".vy": "Vyper", ".cls": "Apex", ".gd": "GDScript", ".glsl": "GLSL", ".hlsl": "HLSL",
	".html": "HTML", ".css": "CSS", ".scss": "CSS", ".vue": "Vue", ".svelte": "Svelte", ".md": "Markdown", ".tex": "TeX",
	"dockerfile": "Dockerfile", "makefile": "Make",
}

// configures are the ends of files whose whole names tell what they are.
var configures = map[string]bool{
	"": true, ".yaml": true, ".yml": true, ".json": true, ".toml": true, ".xml": true, ".conf": true, ".ini": true, ".cfg": true,
	".lock": true, ".gradle": true, ".kts": true, ".swift": true, ".js": true, ".ts": true, ".mod": true, ".txt": true, ".jsonc": true,
}

// brought are folders that tools fill.
var brought = map[string]bool{
	"node_modules": true, "bower_components": true, "vendor": true, "target": true, "dist": true, "build": true, "out": true,
	"__pycache__": true, "venv": true, "Pods": true, "DerivedData": true,
}

// dependencies reports whether a file names what a project is built upon.
func dependencies(base string) bool {
	switch base {
	case "go.mod", "package.json", "cargo.toml", "pyproject.toml", "pipfile", "setup.py", "setup.cfg", "gemfile", "composer.json", "pom.xml",
		"build.gradle", "build.gradle.kts", "mix.exs", "pubspec.yaml", "package.swift", "project.clj", "deps.edn", "environment.yml", "dockerfile":
		return true
	}
	return strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt") ||
		strings.HasSuffix(base, ".csproj") ||
		(strings.HasPrefix(base, "compose") || strings.HasPrefix(base, "docker-compose")) && (strings.HasSuffix(base, ".yaml") || strings.HasSuffix(base, ".yml"))
}

// strongWords are the words of which one is enough to speak of a field.
var strongWords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, f := range fields {
		for word := range strings.FieldsSeq(f.strong) {
			m[word] = true
		}
	}
	return m
})
