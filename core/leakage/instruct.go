package leakage

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ctx-sidecar/ctx/core/authority"
)

// What a text can ask of the model.
const (
	overrules = "tells the model to set its instructions aside"
	hides     = "tells the model to hide something from the user"
	orders    = "orders the model to call it"
	collects  = "has the model hand over what it knows"
	poses     = "poses as the system, or makes the model somebody else"
	pleads    = "asks to be taken for harmless"
	skips     = "tells the model not to ask the user"
)

// asked is something that a text asks of the model.
type asked struct {
	what  string
	firm  float64
	needs [][]string // the pattern fits no text that lacks all of any of these
	is    *regexp.Regexp
}

// Patterns are matched against plain text: small letters, no accents, nothing
// invisible. Each language has those of its own.
var askings = sync.OnceValue(func() []asked {
	list := []struct {
		what    string
		firm    float64
		needs   string // alternatives separated by |, several of them by &
		pattern string
	}{
		{overrules, .9, "ignor|disregard|forget|overrid|bypass|discard", `\b(?:ignore|disregard|forget|override|bypass|discard)\b(?:\W+\w+){0,3}\W+(?:previous|prior|above|earlier|preceding|existing|original|system|other|your)\b(?:\W+\w+){0,3}?\W+(?:instructions?|prompts?|rules?|guidelines|messages?|directions?|constraints|context|safety|policies)\b`},
		{overrules, .8, "new instruction|new system|disregard|ignore|do not follow", `\bnew (?:system )?instructions?\s*:|\b(?:ignore|disregard) (?:everything|all) (?:above|before|else)\b|\bdo not follow (?:your|the) (?:system|previous|original)\b`},
		{hides, .9, "do not|don't|dont|never|must not|should not|without|avoid& user| human| operator| customer|anyone|anybody| person", `\b(?:do not|don'?t|never|must not|should not|without|avoid)\s+(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|show(?:ing)?|notify(?:ing)?|alert(?:ing)?|disclos(?:e|ing)|report(?:ing)?|explain(?:ing)?|say(?:ing)?)\b(?:\W+\w+){0,6}?\W+(?:users?|humans?|operators?|customers?|anyone|anybody|persons?)\b`},
		{hides, .9, "let&know|see|notice|find out|learn|realis|realiz", `\b(?:do not|don'?t|never|must not|should not|without|avoid)\s+let(?:ting)?\b(?:\W+\w+){0,3}?\W+(?:users?|humans?|operators?|customers?|anyone|anybody|persons?)\W+(?:know|see|notice|find out|learn|reali[sz]e)\b`},
		{hides, .8, "secret|hidden|from the |silently|covertly|quietly", `\b(?:keep|hide|conceal)\b(?:\W+\w+){0,4}?\W+(?:secret|hidden|from the (?:user|human|operator))\b|\b(?:silently|secretly|covertly|quietly)\s+(?:call|send|read|include|pass|run|use|forward|copy)\b`},
		{skips, .85, "without |ask|wait for|seek|request", `\bwithout (?:asking|prompting|consulting|confirm\w*|(?:the )?user(?:'s)? (?:consent|permission|approval|confirmation)|asking for (?:permission|confirmation))\b(?:\W+\w+){0,2}?\W*(?:user|human|permission|confirmation|first|approval)?|\b(?:do not|don'?t|never|no need to) (?:ask|wait for|seek|request)\b(?:\W+\w+){0,3}?\W+(?:user|human|permission|confirmation|approval|consent)\b`},
		{orders, .8, "always|first|every time|immediately&must|should|shall|have to|need to|required to|will", `\b(?:you|assistants?|models?|ai|agents?|llms?|claude|gpt|chatgpt|gemini|codex|copilot)\b[^.!?\n]{0,40}?\b(?:must|should|shall|have to|need to|are required to|will)\s+(?:always|first|every time|immediately)\b`},
		{orders, .8, "before|prior to|on every|for every|for each|for all|at the |instead of&must|should|shall|always|need", `\b(?:must|should|shall|always|needs? to)\s+(?:always\s+|first\s+|be\s+)*(?:call|invoke|use|run|called|invoked|used|run)\b[^.!?\n]{0,60}\b(?:before (?:(?:calling|using) )?(?:any|every|each|all|other)|for (?:every|each|all) (?:request|message|prompt|question|turn|conversation)|(?:before|prior to) (?:any|every|each|all) other|on every|at the (?:start|beginning) of (?:every|each)|instead of (?:any|all) other)\b`},
		{orders, .75, "always |before |instead of any|must prefer|supersedes|overrides|replaces", `\balways (?:call|invoke|use|run) this\b|\bbefore (?:(?:using|calling|invoking) )?any other tools?\b|\binstead of any other tools?\b|\b(?:always|must) prefer this (?:tool|server)\b|\bthis tool (?:supersedes|overrides|replaces) (?:all|any|every|the)\b`},
		{orders, .55, " must |shall | have to |required to", `\b(?:you|assistants?|models?|agents?|llms?|claude)\s+(?:must|shall|have to|are required to)\s+(?:call|invoke|use|run|read|send|pass|include|execute|forward|copy)\b`},
		{collects, .85, "conversation|chat|history|messages|prompt|context|credentials|key|secret|password|environment|.env|id_rsa|config&entire|full|whole|complete|all|previous|content", `\b(?:pass|include|send|provide|put|add|attach|paste|copy|forward|append)\b(?:\W+\w+){0,4}?\W+(?:entire|full|whole|complete|all|previous|contents? of)\b(?:\W+\w+){0,4}?\W+(?:conversations?|chat|history|messages|prompts?|context|system prompt|credentials|keys?|secrets?|passwords?|environment|\.env|id_rsa|config\w*)\b`},
		{collects, .85, "system prompt|system message", `\b(?:pass|include|send|provide|put|add|attach|paste|copy|forward|append)\s+(?:(?:the|your|its|this|any|our)\s+)?(?:(?:full|entire|whole|complete)\s+)?system (?:prompts?|messages?)\b`},
		{collects, .8, ".ssh|id_rsa|.env|.aws|credentials|mcp.json|.claude|.codex|.npmrc|/etc/passwd", `\b(?:read|open|load|cat)\b[^.!?\n]{0,60}(?:\.ssh|id_rsa|\.env\b|\.aws|credentials|mcp\.json|\.claude|\.codex|\.npmrc|/etc/passwd)[^.!?\n]{0,80}\b(?:pass|send|include|provide|as|parameter|argument|sidenote|into)\b`},
		{poses, .8, "<|[|system|assistant", `<\s*/?\s*(?:system|important|instructions?|secret|admin|assistant|sys|critical|hidden)\s*>|\[/?(?:inst|system|sys)\]|<\|(?:im_start|im_end|system|endoftext)\|>|^\s*(?:system|assistant)\s*:\s`},
		{poses, .75, "you are |act as|behave as|respond as|from now on|developer mode|jailbreak", `\byou are (?:now|no longer)\b|\b(?:act|behave|respond) as (?:if you|though you|an? (?:admin|root|unrestricted|different))\b|\bfrom now on,? you\b|\bdeveloper mode\b|\bjailbreak`},
		{pleads, .8, "classif|label|treat|mark|consider|regard|rate|judg&safe|read|harmless|trusted|benign|low", `\b(?:classif(?:y|ied)|label(?:l?ed)?|treat(?:ed)?|mark(?:ed)?|consider(?:ed)?|regard(?:ed)?|rat(?:e|ed)|judg(?:e|ed))\b(?:\W+\w+){0,5}?\W+(?:as|to be)\W+(?:\w+\W+){0,2}?(?:safe|read.only|harmless|trusted|benign|low.risk)\b`},
		{pleads, .8, "classif", `\bclassif(?:y|ied)\b(?:\W+\w+){0,5}?\W+(?:as|to be)\W+read\b`},

		// Other languages.
		{overrules, .85, "ignorier", `\bignorier\w*\b.{0,30}\b(?:anweisung|befehl|vorgabe|regel|instruktion)\w*`},
		{overrules, .85, "ignore", `\bignore[rz]?\b.{0,25}\b(?:instructions|consignes|regles|directives)\b.{0,25}\b(?:precedentes|ci-dessus|anterieures|systeme)\b`},
		{overrules, .85, "ignor|olvid|desconsid|esque|dimentica", `\b(?:ignora|ignore|olvida|desconsidere|esqueca|dimentica)\w*\b.{0,25}\b(?:instrucciones|instrucoes|istruzioni|ordenes|regras|reglas|regole)\b`},
		{overrules, .85, "negeer|ignoruj|pomin|onceki", `\bnegeer\b.{0,25}\b(?:instructies|opdrachten|regels)\b|\b(?:zignoruj|ignoruj|pomin)\b.{0,25}\b(?:instrukcj|polecen|zasad)\w*|\bonceki\b.{0,20}\btalimat\w*.{0,20}\b(?:yoksay|gormezden)`},
		{overrules, .85, "игнорир|забудь", `(?:игнорируй|проигнорируй|забудь)\S*.{0,30}(?:инструкц|указани|правил|команд)`},
		{overrules, .85, "忽略|无视|無視|忘|不要理会|무시|잊", `(?:忽略|无视|無視|忘记|忘記|不要理会).{0,10}(?:指令|指示|提示|规则|規則|说明|說明)|(?:以前|これまで|上記|前|元)の?.{0,4}(?:指示|命令|プロンプト|ルール).{0,6}(?:無視|忘れ)|(?:이전|위의|앞의|기존).{0,6}(?:지시|명령|프롬프트|규칙).{0,8}(?:무시|잊)`},
		{hides, .85, "nutzer|benutzer|anwender", `\b(?:nutzer|benutzer|anwender)\w*\b.{0,30}\b(?:nichts|nicht)\b.{0,20}\b(?:davon|sagen|mit|erwahn|verrat|inform|zeig)|\b(?:sage?|erwahne|verrate|teile?|zeige?|informiere)\b.{0,25}\b(?:nutzer|benutzer|anwender)\w*\b.{0,20}\b(?:nichts|nicht)\b`},
		{hides, .85, "utilisateur|usager", `\bne\b.{0,12}\b(?:dis|dites|mentionne|mentionnez|revele|revelez|informe|informez|montre|montrez)\b.{0,20}\b(?:utilisateur|usager)`},
		{hides, .85, "usuario|utente", `\b(?:no|nao|non)\b.{0,12}\b(?:digas|diga|informes|informe|menciones|mencione|reveles|revele|dire|rivelare|menzionare|conte|mostrar|muestres)\b.{0,20}\b(?:usuario|utente)`},
		{hides, .85, "gebruiker|uzytkownik", `\bvertel\b.{0,20}\bgebruiker\b.{0,12}\b(?:niet|niets)\b|\bnie\b.{0,12}\b(?:mow|informuj|wspominaj|pokazuj)\w*\b.{0,20}\buzytkownik\w*`},
		{hides, .85, "пользовател", `не\s+(?:говори|сообщай|упоминай|показывай|рассказывай)\S*.{0,30}пользовател`},
		{hides, .85, "用户|用戶|使用者|ユーザー|사용자", `(?:不要|别|不得|切勿|請勿|请勿).{0,4}(?:告诉|告訴|告知|通知|透露|提及).{0,6}(?:用户|用戶|使用者)|ユーザー.{0,10}(?:伝えない|知らせない|言わない|伝えず|知らせず|明かさない|教えない)|사용자.{0,10}(?:말하지|알리지|언급하지|보여주지)\s*(?:마|말|않)`},
		{orders, .75, "必|항상|반드시", `(?:必须|必須|务必).{0,6}(?:始终|总是|每次|首先|先).{0,8}(?:调用|使用)|必ず.{0,12}(?:最初|先|毎回).{0,10}(?:呼び出|使用|実行)|(?:항상|반드시).{0,12}(?:먼저|매번).{0,12}(?:호출|사용)`},
		{orders, .75, "immer|toujours|siempre|sempre|altijd|zawsze|всегда", `\bdu musst immer\b|\bvous devez toujours\b|\b(?:siempre debes|debes siempre)\b|\bvoce deve sempre\b|\bdevi sempre\b|\bje moet altijd\b|\bmusisz zawsze\b|ты должен всегда|вы должны всегда|всегда вызывай`},
	}
	out := make([]asked, len(list))
	for i, l := range list {
		var needs [][]string
		for part := range strings.SplitSeq(l.needs, "&") {
			needs = append(needs, strings.Split(part, "|"))
		}
		out[i] = asked{l.what, l.firm, needs, regexp.MustCompile(l.pattern)}
	}
	return out
})

// instructions finds what speaks to the model. It is not quoted: a report is
// read by models, too.
func instructions(t text) []Finding {
	const shortest = 8 // bytes; less asks for nothing
	if len(t.content) < shortest {
		return nil
	}
	plain, at := authority.Plain(t.content)
	var out []Finding
	for _, a := range askings() {
		if slices.ContainsFunc(a.needs, func(parts []string) bool { return !containsAny(plain, parts) }) {
			continue
		}
		for _, m := range a.is.FindAllStringIndex(plain, 4) {
			out = append(out, Finding{Instruction, a.what, Place{t.field, at[m[0]], at[m[1]]}, a.firm})
		}
	}
	return out
}

// containsAny reports whether a text has one of the parts. It spares most texts
// the patterns.
func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}
