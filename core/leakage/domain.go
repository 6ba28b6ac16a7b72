package leakage

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Workspace is what is known of the work that is done.
type Workspace struct {
	Languages []string // as their names are written, in any case: "Go", "TypeScript"
	Manifests []string // files that tell what is built with: "go.mod", "infra/main.tf"
	Role      string   // the session's: "developer:general"
	Named     []string // words of fields that the manifests name: a dependency, an image
}

// empty reports whether nothing is known; then nothing is unrelated.
func (w Workspace) empty() bool {
	return len(w.Languages) == 0 && len(w.Manifests) == 0 && w.Role == ""
}

// field is a field of work: how tools speak of it, and by what a workspace has
// to do with it. Fields that any work may touch (files, version control, issues,
// search, chat) are none.
type field struct {
	name      string
	words     string // in the singular
	strong    string // one of them is enough
	languages string
	manifests string // globs over the file's name
	roles     string // words of a role
}

var fields = []field{
	{"containers and clusters", "pod namespace deployment replica ingress container", "kubernetes k8s kubectl helm docker podman", "dockerfile", "dockerfile* compose*.y*ml docker-compose*.y*ml chart.yaml kustomization.y*ml skaffold.y*ml *.k8s.y*ml containerfile", "devops sre platform operator ops"},
	{"cloud infrastructure", "bucket lambda vpc instance region iam", "aws boto3 ec2 s3 gcp azure terraform pulumi cloudformation cloudflare", "hcl terraform", "*.tf *.tfvars serverless.y*ml cdk.json pulumi.y*ml template.y*ml samconfig.toml wrangler.* app.yaml azure-pipelines.yml", "devops sre platform cloud ops"},
	{"databases", "table row schema sql migration index query", "postgres postgresql pgx psycopg mysql mongodb mongoose redis snowflake bigquery sqlite sqlite3 supabase prisma sqlalchemy gorm typeorm sequelize", "sql plpgsql", "*.sql schema.prisma alembic.ini ormconfig.* knexfile.* flyway.conf *.db diesel.toml sqlc.y*ml", "data dba analyst database backend"},
	{"payments", "invoice refund charge subscription payout checkout", "stripe paypal adyen braintree", "", "", "billing finance payments accounting shop"},
	{"customer relations", "lead deal opportunity contact pipeline account", "salesforce hubspot zendesk crm", "apex", "sfdx-project.json", "sales marketing support crm"},
	{"trading and wallets", "stock share ticker portfolio candle order trade", "crypto wallet ethereum bitcoin solana blockchain nft", "solidity vyper", "hardhat.config.* foundry.toml truffle-config.js anchor.toml", "finance trading trader quant crypto web3"},
	{"office documents", "slide paragraph worksheet workbook presentation spreadsheet", "powerpoint excel docx pptx xlsx", "", "*.docx *.xlsx *.pptx", "office writer assistant analyst finance"},
	{"3D, games and media", "scene mesh texture sprite timeline clip track", "blender unity godot unreal figma photoshop ableton", "gdscript glsl hlsl", "project.godot *.uproject *.unity packages/manifest.json *.blend", "game artist designer design media"},
	{"mobile devices", "simulator emulator gesture apk", "android ios adb xcode", "swift kotlin dart objective-c", "androidmanifest.xml *.xcodeproj podfile pubspec.yaml build.gradle* package.swift", "mobile android ios"},
	{"home and devices", "light thermostat lamp sensor room", "homeassistant zigbee hue", "", "configuration.yaml platformio.ini *.ino", "home iot embedded"},
	{"travel and places", "flight hotel train route restaurant itinerary", "airbnb", "", "", "travel assistant concierge"},
	{"social media", "follower tweet hashtag reel", "twitter instagram facebook tiktok linkedin", "", "", "marketing social community"},
	{"music and video", "song playlist album lyric episode", "spotify youtube", "", "", "media music video"},
	{"games and sports", "champion match player league team score", "chess lol esports", "", "", "game gaming sport"},
	{"science and health", "protein gene molecule patient diagnosis compound", "pubmed uniprot fhir", "r julia fortran", "*.ipynb environment.yml renv.lock", "science research health bio chemist data"},
}

// unrelated finds a tool whose field of work the workspace has nothing of. Words
// that other fields have, too (a table, a query, a match), are worth a look at
// most: several of them, and one in a name.
func (w Workspace) unrelated(server, name, description string) (Finding, bool) {
	if w.empty() {
		return Finding{}, false
	}
	first, _, _ := strings.Cut(description, "\n")
	first, _, _ = strings.Cut(first, ". ")
	named := set(slices.Concat(surface.Words(server), surface.Words(name)))
	// A name in a text may be spelled in parts: HubSpot, LoL.
	said := set(slices.Concat(surface.Words(first), plainWords(first)))
	maps.Copy(said, named)
	best, votes, firm := -1, 0, false
	for i, f := range fields {
		strong, weak := hits(said, f.strong), hits(said, f.words)
		if strong == 0 && (weak < 3 || hits(named, f.words) == 0) {
			continue
		}
		if n := 2*strong + weak; n > votes {
			best, votes, firm = i, n, strong > 0
		}
	}
	if best < 0 || w.has(fields[best]) {
		return Finding{}, false
	}
	confidence := .4
	if firm {
		confidence = min(.9, .3+.1*float64(votes))
	}
	return Finding{UnrelatedDomain, "is for " + fields[best].name + ", of which the workspace's languages, manifests and role have nothing", Place{Field: "description"}, confidence}, true
}

// plainWords are the words of a text in small letters, each whole.
func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func set(words []string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// hits counts the words of a list that are said, each once.
func hits(said map[string]bool, list string) int {
	n := 0
	for word := range strings.FieldsSeq(list) {
		// Words are compared as surface.Words gives them.
		if said[word] || word[len(word)-1] == 's' && said[word[:len(word)-1]] {
			n++
		}
	}
	return n
}

// has reports whether the workspace has to do with a field.
func (w Workspace) has(f field) bool {
	for _, l := range w.Languages {
		if slices.Contains(strings.Fields(f.languages), strings.ToLower(l)) {
			return true
		}
	}
	if slices.ContainsFunc(w.Manifests, f.builtWith) {
		return true
	}
	role := set(surface.Words(w.Role))
	return hits(role, f.roles) > 0 || hits(role, f.strong) > 0 || hits(set(w.Named), f.strong) > 0
}

// builtWith reports whether a file, by its path in the workspace, is one that
// the field's work is done with.
func (f field) builtWith(file string) bool {
	file = strings.ToLower(file)
	for glob := range strings.FieldsSeq(f.manifests) {
		// The globs are ours and well formed.
		if ok, _ := path.Match(glob, path.Base(file)); ok || glob == file {
			return true
		}
	}
	return false
}
