package authority

// Arbitrary execution is recognised by what is given and by what is done with
// it. Code that a tool reads, formats or explains is data; code that it draws a
// chart from is run.
var (
	interpreters = words(`bash shell sh zsh ksh csh fish powershell pwsh terminal interpreter interpreters sandbox subprocess repl eval exec cmd
 osascript applescript jshell irb console spawn ssh`)

	languages = words(`python lua ruby javascript js typescript perl php groovy lisp julia matlab node nodejs wasm vbscript vba awk
tcl clojure elixir erlang scala haskell starlark scheme jython coffeescript kotlin powershell bash java golang ecmascript`)

	codeNouns = words(`code script snippet source program command macro lambda expression expressions formula statement callback oneliner plugin
function commands scripts programs snippets line lines cell payload template rule hook notebook predicate closure callback handler reducer mapper block blocks`)

	firmCode = words(`command script program code shell cmd macro commands scripts bash javascript js python powershell applescript`)

	// movers hand something over.
	movers = words(`run runs ran running execute executes executed executing evaluate evaluates evaluated evaluating eval exec pass passes
passed paste pastes pasted pipe pipes piped feed feeds fed send sends sent hand hands handed typed typing interpolated
substituted inserted expanded expands invoke invoked invokes launch launched spawn spawned interpret interpreted interprets
works worked carries carried puts put goes processed forwarded handled given substitutes resolves resolved compiled called`)

	// asData are verbs to which code is a text like any other.
	asData = words(`format lint explain highlight analyze analyse parse count search convert translate review validate check find get
list show describe minify beautify prettify compare diff extract read summarize summarise detect generate write create add
update save store insert edit replace delete remove append fetch lookup look outline inspect document verify index copy move rename
tokenize classify identify obfuscate upload download send post publish share comment report suggest recommend sign hash
encode decode escape highlight view display print browse retrieve scan audit grade rate estimate measure learn tell submit
register define put say state patch set commit push deploy import export import complete ask answer`)

	arbitrary = words(`whatever any arbitrary ordinary custom own given provided supplied untrusted raw plain valid`)

	harmlessCode = words(`math mathematical arithmetic cron regex regular xpath css jsonpath zip postal country currency language airport iata
icao status error area promo coupon discount qr color colour hex iso locale stock ticker barcode verification verify otp
invite access product state region dial phone numeric boolean filter glob sort search logical slash`)

	programs = words(`program programs command commands executable executables binary binaries process processes script scripts`)
	handed   = words(`passed handed piped fed sent given forwarded pasted inserted typed types passes pipes feeds sends hands pastes passing handing piping feeding pasting giving sending`)

	runningWords = words(`run runs running execute executes executing evaluate evaluates evaluating`)

	runs = words(`carried run executed evaluated interpreted invoked execute evaluate exec eval evaled launched started`)

	sqlWords = words(`sql cypher sparql graphql gremlin ddl dml plsql tsql psql cql hql aql nosql`)
	sqlReads = words(`select read-only readonly read explain`)
)
