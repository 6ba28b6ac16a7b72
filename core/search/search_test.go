package search

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/core/listing"
)

func terms(text string) []string {
	var got []string
	newTokenizer().terms(text, func(s string) { got = append(got, s) })
	return got
}

func TestTermsKnowHowCodeSpellsWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"read_text_file":       {"read", "text", "file"},
		"getPullRequest":       {"get", "pull", "request", "getpullrequest"},
		"HTTPServer":           {"http", "server", "httpserver"},
		"GitHub":               {"git", "hub", "github"},
		"OAuth eMail v2":       {"oauth", "email", "v2"},
		"sha256":               {"sha", "256", "sha256"},
		"the files of a user":  {"file", "user"},
		"listing, lists":       {"list", "list"},
		"读取文件":                 {"读", "取", "读取", "文", "取文", "件", "文件"},
		"ファイル read":            {"フ", "ァ", "ファ", "イ", "ァイ", "ル", "イル", "read"},
		"прочитать файл":       {"прочитать", "файл"},
		"café":                 {"café"},
		"":                     nil,
		" -- \x00 \u200b ... ": nil,
		"\xff\xfeab":           {"ab"},
	} {
		if got := terms(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// termsBefore is how words were found first: slowly, in a copy of the text that
// ends in a space.
func termsBefore(text string) []string {
	var got []string
	emit := func(s string) { got = append(got, s) }
	t := newTokenizer()
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unspaced(r):
			i += t.characters(text[i:], emit)
		case wordRune(r):
			end := i + strings.IndexFunc(text[i:]+" ", func(r rune) bool { return unspaced(r) || !wordRune(r) })
			t.word(text[i:end], emit)
			i = end
		default:
			i += size
		}
	}
	return got
}

func FuzzTermsAreThoseOfTheText(f *testing.F) {
	for _, text := range []string{
		"", " ", "a", "word", "word ", " word", "two words", "ends_in_code", "camelCase9", "é", "e\u0301", "e\u0301 f\u0301",
		"读", "read读", "读read", "read读file", "ไทยthai", "한국 read", "\xff", "a\xff", "\xffa", "a\xe8\xaf", "\xe8\xafa", "a\ufffdb",
		"\u0301", "٣ files", "x\u00a0y", "a\x00b", "𝔘nicode", "end.", "tab\tand\nline",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := terms(text), termsBefore(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	})
}

func TestALongTextHasTheTermsOfItsPartsAndIsNotCopied(t *testing.T) {
	const part, times = "Read the pull_request of café 读取 v2, getFile; ", 2000
	one := terms(part)
	text := strings.Repeat(part, times) + "end"
	want := append(slices.Repeat(one, times), "end")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := terms(text)
	runtime.ReadMemStats(&after)
	if !slices.Equal(got, want) {
		t.Errorf("%d terms, want %d", len(got), len(want))
	}
	if copied := after.TotalAlloc - before.TotalAlloc; copied > 500*uint64(len(text)) {
		t.Errorf("%d bytes for a text of %d", copied, len(text))
	}
}

func tool(server, name, description, schema string) listing.Tool {
	return listing.Tool{Server: server, Name: name, Description: description, InputSchema: json.RawMessage(schema)}
}

var files = []listing.Tool{
	tool("filesystem", "read_file", "Read the complete contents of a file as text. Deprecated: use read_text_file.", ""),
	tool("filesystem", "read_text_file", "Read the complete contents of a file from the file system as text.", `{"properties":{"path":{"type":"string"}}}`),
	tool("filesystem", "read_media_file", "Read an image or audio file.", ""),
	tool("filesystem", "write_file", "Create a new file or overwrite an existing file with new content.", ""),
	tool("memory", "read_graph", "Read the entire knowledge graph", ""),
	tool("github", "getPullRequest", "Fetch one change with its reviews.", `{"properties":{"owner":{"description":"repository owner"},"pullNumber":{}}}`),
	tool("notes", "无", "在知识库中搜索笔记", ""),
	tool("empty", "nothing", "", "not json"),
}

func names(x *Index, tools []listing.Tool, query string, limit int) []string {
	var got []string
	for _, h := range x.Search(query, limit) {
		got = append(got, tools[h.Doc].ID())
	}
	return got
}

func TestRanksTheToolThatDoesTheJobFirst(t *testing.T) {
	t.Parallel()
	x := Tools(files)
	for query, want := range map[string]string{
		"read the text of a file":   "filesystem:read_text_file",
		"overwrite existing files":  "filesystem:write_file",
		"knowledge graph":           "memory:read_graph",
		"pull requests":             "github:getPullRequest",
		"pullNumber":                "github:getPullRequest",
		"who owns this repository?": "github:getPullRequest",
		"搜索笔记":                      "notes:无",
	} {
		if got := names(x, files, query, 3); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %q, want %q first", query, got, want)
		}
	}
}

func TestADeprecatedToolGivesWayToItsSuccessor(t *testing.T) {
	t.Parallel()
	for _, note := range []string{"DEPRECATED: use fetch_page.", "Deprecated, use fetch_page.", "(deprecated)", "It is deprecated."} {
		pair := []listing.Tool{tool("web", "fetch", "Fetch a page. "+note, ""), tool("web", "fetch_page", "Fetch one page of the web and give it back as text.", "")}
		if got := names(Tools(pair), pair, "fetch page", 2); len(got) != 2 || got[0] != "web:fetch_page" {
			t.Errorf("%s: %q", note, got)
		}
	}
	if deprecated.MatchString("Lists all deprecated APIs that a file uses") {
		t.Error("a tool about deprecated things counts as deprecated itself")
	}
}

func TestSearchAnswersNothingWhereNothingMatches(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", "the of a", "zebra", "\x00", "!!!"} {
		if got := Tools(files).Search(query, 5); len(got) != 0 {
			t.Errorf("%q: %v", query, got)
		}
	}
	if got := New(nil).Search("read", 5); len(got) != 0 {
		t.Errorf("an empty index answered %v", got)
	}
	if got := Tools(files).Search("read", 0); len(got) != 0 {
		t.Errorf("limit 0 answered %v", got)
	}
}

func TestTiesKeepTheOrderOfTheCatalogue(t *testing.T) {
	t.Parallel()
	var same []listing.Tool
	for i := range 50 {
		same = append(same, tool("s", "deploy", "Deploy", fmt.Sprintf(`{"properties":{"p%d":{}}}`, i)))
	}
	x := Tools(same)
	for range 3 {
		for i, h := range x.Search("deploy", 50) {
			if h.Doc != i {
				t.Fatalf("rank %d is document %d", i, h.Doc)
			}
		}
	}
}

func TestAWordRepeatedInAQueryOrADescriptionDoesNotWin(t *testing.T) {
	t.Parallel()
	stuffed := append(slices.Clone(files), tool("evil", "helper", strings.Repeat("read text file ", 10_000), ""))
	x := Tools(stuffed)
	if got := names(x, stuffed, "read read text text text file", 1); got[0] != "filesystem:read_text_file" {
		t.Errorf("first is %s", got[0])
	}
}

func catalogue(n int) []listing.Tool {
	verbs := strings.Fields("create read update delete list search move copy merge close open approve assign tag export import sync count")
	nouns := strings.Fields("issue file branch commit project dashboard alert user team invoice payment order message channel thread page database table")
	tools := make([]listing.Tool, n)
	for i := range tools {
		v, w := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
		tools[i] = tool(fmt.Sprintf("server%d", i%97), v+"_"+w,
			fmt.Sprintf("Use this to %s one %s of the workspace %d, with its history and the people it belongs to.", v, w, i),
			`{"properties":{"id":{"type":"string","description":"identifier of the object"},"limit":{"type":"integer","description":"most results"}}}`)
	}
	return tools
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{500, 10_000} {
		x := Tools(catalogue(n))
		b.Run(fmt.Sprintf("%dtools", n), func(b *testing.B) {
			for b.Loop() {
				x.Search("find the open issues of a project and who they are assigned to", 5)
			}
		})
	}
}

func BenchmarkFindByMeaning(b *testing.B) {
	const size = 384
	for _, n := range []int{500, 10_000} {
		tools := catalogue(n)
		v, err := Embed(b.Context(), sized(size), Texts(tools), nil, 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		r := Ranking{Tools(tools), v, tools}
		b.Run(fmt.Sprintf("%dtools", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := r.Find(b.Context(), sized(size), "find the open issues of a project and who they are assigned to", 5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	tools := catalogue(10_000)
	for b.Loop() {
		Tools(tools)
	}
}
