package authority

var (
	cash  = words(`money fund payment eth btc sol usdc usdt crypto cash coin euro dollar bank lamport sat satoshi`)
	money = words(`money fund funds payment payments balance eth btc sol usdc usdt token tokens crypto wallet bank currency amount cash coin coins
nft invoice card salary euro euros dollar dollars credit credits usd eur lamports sats`)

	// artefacts are made from what is given and handed back.
	artefacts = words(`chart diagram plot picture image qr qrcode uuid guid hash password passphrase summary visualization visualisation mindmap
wordcloud sparkline preview prompt random text avatar palette gradient ascii art meme map poem haiku story joke crossword puzzle
sketch logo color colour query regex cron checksum slug barcode gif thumbnail quote outline draft`)

	runsOf  = words(`test tests build task job workflow pipeline container process server flow agent actor playbook app application migration service instance model`)
	looksOf = words(`report analysis audit scan search check simulation benchmark query lookup diagnostic diagnostics forecast diff comparison select
inspection crawl scrape lint validation assessment backtest performance`)

	harshOnes = words(`all everything database db data history table tables logs log account device disk session sessions records rows entries
factory storage content contents trash bin queue messages inbox`)
	buffers = words(`buffer cache selection console clipboard filter filters cell field value values highlight cursor output screen canvas format formatting style styles`)

	processes = words(`process processes instance instances server vm container containers service machine node cluster system computer host job pid`)
	browsing  = words(`browser page web element selector website playwright puppeteer selenium dom tab html chrome webpage`)
)

var (
	disputes      = words(`thread issue conflict alert incident ticket comment discussion dispute case finding`)
	processInputs = words(`process terminal repl stdin shell tty pty`)
	attributes    = words(`protection highlight background border format formatting filter watermark duplicate restriction whitespace accent stopword
noise outlier punctuation bold hyperlink`)
	marks  = words(`thumb thumbs like star vote rating upvote kudos badge point`)
	people = words(`sender supplier customer client everybody everyone colleague neighbour neighbor team staff member subscriber follower
guest patient admin administrator owner seller buyer manager boss recipient friend family group parent teacher employee worker driver crew rest`)
	requests   = words(`invitation invite request offer friend term call order booking contract proposal connection challenge quest deal bid`)
	games      = words(`game move turn card hand`)
	forcing    = words(`force forced forcibly forcefully`)
	outward    = words(`out off away down`)
	picture    = words(`picture screenshot snapshot photo image note look measurement`)
	conditions = words(`visible invisible hidden public private available unavailable active inactive default permanent writable executable equal`)
	openings   = words(`account position trade pr poll`)
	tabs       = words(`page tab window frame`)
	untouched  = words(`untouched unchanged alone intact as`)
	sessionsOf = words(`session other everyone everybody everywhere user device`)
	products   = words(`project app application package image docker solution target workspace binary site website container index apk release`)
	spendings  = words(`payment purchase donation`)
	bookings   = words(`reservation booking appointment call`)
	makings    = words(`shortcut copy backup folder directory entry link alias`)
	screens    = words(`browser window tab application`)
	orders     = words(`order bet bid trade wager`)
	given      = words(`password role access permission right key token badge`)
	rights     = words(`permission access right privilege`)
	documents  = words(`pdf file document image audio video csv`)
	disks      = words(`disk drive partition volume device card`)
	sessions   = words(`session sessions subscription contract account`)
	openable   = words(`app application browser url window tab document project presentation workbook page link website program`)
)
