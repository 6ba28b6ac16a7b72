package authority

import "strings"

// Nouns that say where something is changed.
var (
	localNouns = words(`file filename filepath path directory folder disk drive local locally computer machine desktop process window browser tab
clipboard screen keyboard mouse docx pptx xlsx pdf csv document word excel powerpoint workbook worksheet sheet slide presentation
paragraph cell memory graph entity entities observation sqlite cache config configuration setting settings editor buffer scene blender
unity canvas layer terminal shell session stdout log workspace environment variable package dependency
container image volume docker git commit stash staging index worktree notebook cursor selection shape chart heading footnote
volume brightness bluetooth wifi app application font style mesh camera viewport asset prefab gameobject
knowledge vault note notes obsidian bookmark history plugin extension emulator simulator android ios adb phone download downloads
photoshop premiere audacity gimp inkscape timeline clip track tempo midi project memo insight thought thoughts plan
table row column header footer page margin watermark formula pivot range venv conda pip npm brew apt
todo scratchpad datei ordner rechner festplatte fichier dossier disque ordinateur archivo carpeta disco ordenador
arquivo pasta computador cartella bestand map schijf plik dysk dysku komputer komputerze файл папка папке диск компьютер pulpit`)

	strongLocal = words(`filename filepath directory folder disk local locally computer machine desktop clipboard docx pptx xlsx workbook
worksheet datei ordner fichier dossier carpeta plik папка файл sqlite filesystem path file excel powerpoint blender browser`)

	remoteNouns = words(`repository repo issue pull pr channel message email mail ticket api account user member team customer client
organization organisation org cloud bucket s3 webhook tweet post comment reply campaign invoice payment order booking
appointment event calendar contact deal lead opportunity domain dns deployment cluster instance vm node queue topic subscription
playlist guest room library reservation public online remote web website site gist release workflow discussion milestone
label reviewer assignee notification thread reaction board card sprint epic story incident alert monitor dashboard
service host endpoint lambda function pod namespace registry secret token key role permission group chat conversation
slack discord telegram whatsapp sms twitter facebook instagram linkedin youtube notion jira confluence linear asana trello
github gitlab bitbucket stripe shopify salesforce hubspot zendesk twilio sendgrid gmail outlook google drive dropbox
aws azure gcp cloudflare vercel netlify heroku kubernetes supabase firebase airtable monday clickup spotify
wordpress blog article newsletter form survey poll review rating product listing inventory shipment parcel flight hotel
doctor clinic patient prescription loan claim policy insurance employee vacation leave timesheet candidate vacancy
wallet transaction blockchain contract recipient subscriber follower friend party meeting zoom teams sensor thermostat light lamp home house device
forum wiki page portal helpdesk desk crm erp tenant neighbour administrator resident people colleague everybody everyone
sub-issue status database collection index dataset model run job pipeline build environment variable record contact
registration admin moderation supplier vendor warehouse shop store cart basket catalogue courier`)

	strongRemote = words(`repository repo channel email ticket recipient webhook slack github gitlab jira notion api public online remote cloud tweet
bucket customer organization organisation booking appointment crm whatsapp discord telegram gmail salesforce guest issue
account team`)

	// servers whose tools stay on the machine, or leave it, as their names say.
	localServers  = words(`filesystem file files fs desktop commander shell terminal browser playwright puppeteer selenium excel word powerpoint ppt docx pptx office pdf sqlite memory git docker blender unity editor text obsidian local macos windows mac applescript clipboard screen document documents markdown notes time thinking ffmpeg image video`)
	remoteServers = words(`github gitlab slack notion jira linear asana trello gmail email mail google drive calendar stripe shopify salesforce hubspot discord telegram twitter x whatsapp aws azure gcp cloudflare vercel supabase firebase airtable zendesk twilio sendgrid spotify kubernetes k8s confluence atlassian bitbucket sentry datadog pagerduty paypal todoist zapier wordpress youtube linkedin reddit facebook instagram crm api web remote monday clickup basecamp smartsheet coda miro dropbox box onedrive sharepoint teams outlook intercom mailchimp twitch`)

	localParams  = words(`root cwd projectroot path filepath filename file_path file directory folder dir cwd selector sheet sheetname worksheet workbook slide paragraph cell`)
	remoteParams = words(`owner repo repository channel recipient recipients email account subject cc bcc workspace organization org tenant customer phone guest patient team username account_id user ticket`)
)

// localStems are local nouns of languages that are written without spaces.
const localStems = `文件 文件夹 本地 电脑 磁盘 檔案 資料夾 本機 ファイル フォルダ ディスク パソコン 端末 파일 폴더 컴퓨터 디스크 ملف جهاز फ़ाइल ไฟล์`

// placed is where a tool that writes does so, with the word that says it.
type placed struct {
	tier Tier
	word string
	firm float64
}

func (j *judge) place() (tier Tier, word string, firm float64) {
	if j.placed == nil {
		tier, word, firm = j.findPlace()
		j.placed = &placed{tier, word, firm}
	}
	return j.placed.tier, j.placed.word, j.placed.firm
}

func (j *judge) findPlace() (tier Tier, word string, firm float64) {
	local, remote := 0.0, 0.0
	var localWord, remoteWord string
	add := func(w string, weight float64) {
		switch {
		case strongLocal.of(w):
			local += 2 * weight
			if localWord == "" || !strongLocal.of(localWord) {
				localWord = w
			}
		case localNouns.of(w):
			local += weight
			if localWord == "" {
				localWord = w
			}
		}
		switch {
		case strongRemote.of(w):
			remote += 2 * weight
			if remoteWord == "" || !strongRemote.of(remoteWord) {
				remoteWord = w
			}
		case remoteNouns.of(w):
			remote += weight
			if remoteWord == "" {
				remoteWord = w
			}
		}
	}
	for _, t := range j.name.tokens {
		add(t, 1.2)
	}
	first := 0
	for i, w := range j.prose.words {
		if i > 0 && w.after == 's' {
			first++
		}
		weight := .6
		if first == 0 {
			weight = 1
		}
		if first > 2 || i > 60 {
			break
		}
		add(w.text, weight)
	}
	for w := range strings.FieldsSeq(localStems) {
		if j.prose.foreign && strings.Contains(j.prose.text, w) {
			add("local", 1)
			localWord = w
		}
	}
	server, _ := nameTokens(j.server)
	for _, t := range server {
		if localServers.has(t) {
			local += 2
			if localWord == "" {
				localWord = t
			}
		}
		if remoteServers.has(t) {
			remote += 2.5
			if remoteWord == "" {
				remoteWord = t
			}
		}
	}
	for _, p := range j.params {
		if !p.top {
			continue
		}
		joined := p.last()
		switch {
		case remoteParams.has(joined) || len(p.tokens) > 1 && remoteParams.has(p.tokens[0]+"_"+joined):
			remote += 1.5
			if remoteWord == "" {
				remoteWord = p.name
			}
		case localParams.has(joined) || p.writes():
			local += 1.2
			if localWord == "" {
				localWord = p.name
			}
		}
	}
	if j.ann.OpenWorld != nil {
		if *j.ann.OpenWorld {
			remote += .3
		} else {
			local += .8
		}
	}
	switch {
	case local > remote:
		return LocalWrite, localWord, min(.9, .5+.1*(local-remote))
	case remote > local:
		return RemoteWrite, remoteWord, min(.9, .5+.1*(remote-local))
	}
	return RemoteWrite, "", .45
}
