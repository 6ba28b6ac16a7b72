package authority

import (
	"strings"
	"sync"
)

// language is what is known of one that is written with spaces. Words are
// spelled without accents, in the forms in which descriptions use them.
type language struct {
	stop      string // words by which it is recognised
	negations string
	postfix   bool // the negation may follow the verb
	relative  string
	verbs     map[effect]string
}

// Latin and Cyrillic languages. Of each verb: the infinitive, the third person
// and the imperative, as far as they differ.
func languagesTable() []language {
	return []language{
		{ // German
			stop:      "der die das und eine einen einer eines dem den des von mit fur aus auf ist wird werden nach zu zum zur im alle auch nicht",
			negations: "nicht nichts kein keine keinen keiner nie niemals ohne", postfix: true,
			relative: "die der das welche welcher dass ob wenn was",
			verbs: map[effect]string{
				observe: `zeigt zeigen zeige anzeigen listet auflisten liste liest lesen lese sucht suchen suche findet finden holt holen abrufen ruft liefert gibt pruft prufen
pruefen pruefe berechnet berechnen vergleicht vergleichen zahlt zaehlt nennt ermittelt ermitteln beschreibt erklart erklaert ubersetzt fragt abfragen schatzt meldet`,
				change: `erstellt erstellen erstelle legt anlegen andert aendert andern aendern setzt setzen aktualisiert aktualisieren fugt hinzufugen hinzufuegen bearbeitet
bearbeiten schreibt schreiben verschiebt verschieben benennt umbenennen kopiert kopieren schaltet stellt sperrt startet starten stoppt tragt eintragen erzeugt
ersetzt ersetzen importiert registriert markiert aktiviert deaktiviert ordnet passt archiviert`,
				here:    `speichert speichern ladt herunterladen installiert installieren`,
				away:    `sendet senden sende schickt schicken verschickt verschicken veroffentlicht veroffentlichen postet teilt benachrichtigt bucht buchen reserviert meldet_an ladt_ein bestatigt lasst`,
				destroy: `loscht loschen loesche loescht loeschen losche entfernt entfernen entferne vernichtet vernichten leert leeren beendet widerruft widerrufen storniert kundigt kundigen verwirft uberschreibt ueberschreibt zerstort deinstalliert tilgt unwiderruflich unwiederbringlich endgultig`,
				spend:   `kauft kaufen bezahlt bezahlen zahlt_aus uberweist ueberweist uberweisen ueberweisen bestellt bestellen belastet`,
				run:     `fuhrt ausfuhren ausfuehren`,
			},
		},
		{ // French
			stop:      "le la les des du une un et ou dans pour par sur avec est au aux ce cette qui que d'un d'une l'utilisateur",
			negations: "ne n'est n'a n'en n'y sans aucun aucune jamais rien", relative: "qui que dont si quand lorsque",
			verbs: map[effect]string{
				observe: `affiche afficher liste lister lit lire cherche chercher recherche rechercher trouve trouver montre montrer obtient obtenir renvoie renvoyer retourne
retourner recupere recuperer consulte consulter verifie verifier compare comparer calcule calculer compte compter indique donne decrit decrire explique traduit convertit estime`,
				change: `cree creer ajoute ajouter modifie modifier change changer met mettre edite editer ecrit ecrire remplace remplacer renomme renommer deplace deplacer copie copier
configure configurer active activer desactive desactiver demarre arrete arreter enregistre enregistrer definit importe marque archive`,
				here:    `telecharge telecharger installe installer sauvegarde sauvegarder`,
				away:    `envoie envoyer publie publier partage partager notifie notifier reserve reserver invite inviter commente signale signaler transmet`,
				destroy: `supprime supprimer efface effacer detruit detruire retire retirer enleve enlever vide vider revoque revoquer annule annuler resilie resilier termine ecrase ecraser desinstalle purge elimine definitivement irreversiblement`,
				spend:   `achete acheter paie payer vire virer debite commande commander rembourse`,
				run:     `execute executer lance lancer`,
			},
		},
		{ // Spanish
			stop:      "el la los las una un y de del en para por con es al se su que lo este esta",
			negations: "no sin nunca ni jamas ningun ninguna nada", relative: "que si cuando cual",
			verbs: map[effect]string{
				observe: `muestra mostrar lista listar lee leer busca buscar encuentra encontrar obtiene obtener devuelve devolver consulta consultar verifica verificar comprueba
comprobar compara comparar calcula calcular cuenta contar indica describe describir explica traduce convierte recupera ver averigua estima`,
				change: `crea crear anade anadir agrega agregar modifica modificar cambia cambiar actualiza actualizar edita editar escribe escribir reemplaza reemplazar renombra
renombrar mueve mover copia copiar configura configurar activa activar desactiva desactivar inicia iniciar detiene detener registra registrar marca asigna importa archiva pone guarda guardar`,
				here:    `descarga descargar instala instalar`,
				away:    `envia enviar publica publicar comparte compartir notifica notificar reserva reservar invita invitar comenta avisa avisar`,
				destroy: `elimina eliminar borra borrar suprime suprimir quita quitar destruye destruir vacia vaciar revoca revocar cancela cancelar anula anular termina sobrescribe sobrescribir desinstala purga permanentemente definitivamente irreversible`,
				spend:   `compra comprar paga pagar transfiere transferir cobra cobrar pide pedir reembolsa`,
				run:     `ejecuta ejecutar`,
			},
		},
		{ // Portuguese
			stop:      "o a os as um uma e de do da em no na para por com ao se que este esta dos das",
			negations: "nao sem nunca nem jamais nenhum nenhuma nada", relative: "que se quando qual",
			verbs: map[effect]string{
				observe: `mostra mostrar exibe exibir lista listar le ler busca buscar pesquisa pesquisar procura procurar encontra encontrar obtem obter retorna retornar devolve
consulta consultar verifica verificar compara comparar calcula calcular conta contar indica descreve explica traduz converte recupera informa estima`,
				change: `cria criar adiciona adicionar acrescenta altera alterar modifica modificar muda mudar atualiza atualizar edita editar escreve escrever substitui substituir renomeia
renomear move mover copia copiar configura configurar ativa ativar desativa desativar inicia iniciar para parar registra registrar regista marca atribui importa arquiva`,
				here:    `salva salvar guarda guardar grava gravar baixa baixar descarrega instala instalar`,
				away:    `envia enviar publica publicar compartilha compartilhar partilha notifica notificar reserva reservar convida convidar comenta avisa avisar agenda agendar`,
				destroy: `exclui excluir apaga apagar elimina eliminar remove remover deleta deletar destroi destruir esvazia esvaziar revoga revogar cancela cancelar encerra encerrar sobrescreve sobrescrever desinstala definitivamente permanentemente`,
				spend:   `compra comprar paga pagar transfere transferir cobra cobrar encomenda reembolsa`,
				run:     `executa executar`,
			},
		},
		{ // Italian
			stop:      "il lo la gli le un una e di del della dei in per con da al si che questo questa nel su",
			negations: "non senza mai ne nessun nessuna niente nulla", relative: "che se quando quale",
			verbs: map[effect]string{
				observe: `mostra mostrare elenca elencare legge leggere cerca cercare trova trovare ottiene ottenere restituisce restituire recupera recuperare consulta consultare
verifica verificare controlla controllare confronta confrontare calcola calcolare conta contare indica descrive spiega traduce converte visualizza visualizzare stima`,
				change: `crea creare aggiunge aggiungere aggiungi modifica modificare cambia cambiare aggiorna aggiornare scrive scrivere sostituisce sostituire rinomina rinominare sposta
spostare copia copiare configura configurare imposta impostare attiva attivare disattiva disattivare avvia avviare ferma fermare registra registrare segna assegna importa archivia inserisce inserire`,
				here:    `salva salvare scarica scaricare installa installare`,
				away:    `invia inviare manda mandare spedisce pubblica pubblicare condivide condividere notifica notificare prenota prenotare invita invitare commenta avvisa avvisare segnala segnalare`,
				destroy: `elimina eliminare cancella cancellare rimuove rimuovere toglie togliere distrugge distruggere svuota svuotare revoca revocare annulla annullare termina terminare sovrascrive sovrascrivere disinstalla definitivamente irreversibilmente`,
				spend:   `compra comprare acquista acquistare paga pagare trasferisce trasferire bonifica addebita ordina ordinare rimborsa`,
				run:     `esegue eseguire`,
			},
		},
		{ // Dutch
			stop:      "de het een en van met voor op in is wordt naar te uit alle ook niet dit deze die bij aan",
			negations: "niet niets geen nooit zonder", postfix: true, relative: "die dat welke of als wanneer wat",
			verbs: map[effect]string{
				observe: `toont tonen lijst leest lezen zoekt zoeken vindt vinden haalt ophalen geeft controleert controleren vergelijkt vergelijken berekent berekenen telt tellen
beschrijft vertaalt bekijkt bekijken raadpleegt raadplegen opvragen`,
				change: `maakt maken aanmaken voegt toevoegen wijzigt wijzigen verandert veranderen werkt bijwerken bewerkt bewerken schrijft schrijven vervangt vervangen hernoemt hernoemen
verplaatst verplaatsen kopieert kopieren zet zetten stelt start starten stopt stoppen registreert markeert archiveert`,
				here:    `downloadt downloaden installeert installeren slaat opslaan bewaart bewaren`,
				away:    `stuurt sturen verstuurt versturen verzendt verzenden plaatst plaatsen publiceert publiceren deelt delen meldt boekt boeken reserveert reserveren nodigt`,
				destroy: `verwijdert verwijderen wist wissen vernietigt vernietigen leegt legen beeindigt annuleert annuleren overschrijft overschrijven herroept intrekken definitief onherroepelijk`,
				spend:   `koopt kopen betaalt betalen bestelt bestellen`,
				run:     `voert uitvoeren`,
			},
		},
		{ // Polish
			stop:      "i w z na do dla od po jest sie oraz lub przez o ze wszystkie tego ten ta jego podanego",
			negations: "nie bez nigdy ani zaden zadnych niczego nic", relative: "ktory ktora ktore ktorych czy jesli gdy co",
			verbs: map[effect]string{
				observe: `pokazuje pokaz wyswietla wyswietl listuje odczytuje czyta czytaj szuka szukaj wyszukuje wyszukaj znajduje znajdz pobiera zwraca sprawdza sprawdz porownuje oblicza
liczy podaje opisuje tlumaczy przegladaj`,
				change: `tworzy utworz stworz dodaje dodaj zmienia zmien modyfikuje modyfikuj aktualizuje aktualizuj edytuje edytuj zapisuje zapisz pisze zastepuje przenosi kopiuje ustawia
ustaw wlacza wylacza uruchamia uruchom zatrzymuje rejestruje oznacza archiwizuje`,
				here:    `instaluje instaluj sciaga`,
				away:    `wysyla wyslij wysyla publikuje opublikuj udostepnia udostepnij powiadamia powiadom rezerwuje zarezerwuj zaprasza zglasza zglos komentuje przekazuje`,
				destroy: `usuwa usun kasuje skasuj niszczy zniszcz czysci wyczysc oproznia cofa odwoluje anuluje anuluj konczy zakoncz nadpisuje nadpisz odinstalowuje wymazuje trwale bezpowrotnie nieodwracalnie`,
				spend:   `kupuje kup placi zaplac przelewa przelej zamawia zamow obciaza`,
				run:     `wykonuje wykonaj`,
			},
		},
		{ // Russian
			stop:      "и в на с по для из от к о это все или при",
			negations: "не без никогда ни нельзя ничего", relative: "который которая которое которые которых если когда что",
			verbs: map[effect]string{
				observe: `показывает показать выводит вывести читает прочитать читать ищет найти находит получает получить возвращает вернуть проверяет проверить сравнивает сравнить считает
вычисляет вычислить описывает объясняет переводит просматривает просмотр поиск список чтение получение`,
				change: `создает создаёт создать добавляет добавить изменяет изменить меняет обновляет обновить редактирует редактировать пишет записывает записать заменяет заменить переименовывает
перемещает переместить копирует копировать устанавливает задает включает выключает запускает останавливает регистрирует помечает архивирует создание обновление изменение добавление`,
				here:    `сохраняет сохранить скачивает скачать загружает`,
				away:    `отправляет отправить посылает публикует опубликовать делится уведомляет уведомить бронирует забронировать приглашает комментирует сообщает отправка публикация`,
				destroy: `удаляет удалить стирает стереть уничтожает уничтожить очищает очистить отзывает отозвать отменяет отменить завершает завершить перезаписывает сбрасывает удаление безвозвратно навсегда необратимо`,
				spend:   `покупает купить оплачивает оплатить платит переводит_деньги заказывает заказать списывает`,
				run:     `выполняет выполнить исполняет исполнить`,
			},
		},
		{ // Swedish, Danish, Norwegian
			stop:      "och en ett att av for med som den det till fran pa og et til fra af ikke inte alla",
			negations: "inte ikke inga ingen aldrig aldri utan uten uden", postfix: true, relative: "som om nar vilken hvilken",
			verbs: map[effect]string{
				observe: `visar viser vis visa listar lister laser leser hamtar henter soker soger sok hittar finder finner returnerar returnerer kontrollerar kontrollerer jamfor sammenligner beraknar beregner raknar`,
				change:  `skapar opretter oppretter skapa opret lagger tilfojer andrar endrer aendrer uppdaterar opdaterer oppdaterer redigerar redigerer skriver flyttar flytter kopierar`,
				here:    `sparar gemmer lagrer installerar installerer`,
				away:    `skickar sender publicerar publiserer udgiver delar deler bokar booker meddelar varslar varsler bjuder`,
				destroy: `raderar sletter radera slet slett tar_bort fjerner fjern avbryter annullerer aterkallar tilbagekalder`,
				spend:   `koper kober kjoper betalar betaler bestaller bestiller`,
			},
		},
		{ // Turkish
			stop:      "ve bir bu icin ile olarak gore belirtilen kullanici",
			negations: "degil yok olmadan etmeden", postfix: true,
			verbs: map[effect]string{
				observe: `gosterir goster listeler listele okur oku arar ara bulur bul getirir getir dondurur kontrol hesaplar hesapla karsilastirir`,
				change:  `olusturur olustur ekler ekle degistirir degistir gunceller guncelle duzenler duzenle yazar yaz tasir kopyalar ayarlar ayarla baslatir durdurur`,
				here:    `kaydeder kaydet indirir indir`,
				away:    `gonderir gonder yayinlar yayinla paylasir paylas bildirir davet`,
				destroy: `siler sil kaldirir kaldir temizler iptal sonlandirir`,
				spend:   `oder satin siparis`,
				run:     `calistirir calistir yurutur`,
			},
		},
	}
}

// tongue is a language, ready for looking up.
type tongue struct {
	verbs   map[string]effect
	postfix bool
}

// role is what a word is in the languages, each a bit.
type role struct {
	stop, negation, relative, verb uint16
}

type dictionary struct {
	tongues []tongue
	roles   map[string]role
}

var foreignWords = sync.OnceValue(func() dictionary {
	d := dictionary{roles: make(map[string]role, 2048)}
	for i, l := range languagesTable() {
		t := tongue{map[string]effect{}, l.postfix}
		bit := uint16(1) << i
		mark := func(list string, set func(*role)) {
			for w := range strings.FieldsSeq(list) {
				r := d.roles[w]
				set(&r)
				d.roles[w] = r
			}
		}
		mark(l.stop, func(r *role) { r.stop |= bit })
		mark(l.negations, func(r *role) { r.negation |= bit })
		mark(l.relative, func(r *role) { r.relative |= bit })
		for e, list := range l.verbs {
			mark(list, func(r *role) { r.verb |= bit })
			for w := range strings.FieldsSeq(list) {
				t.verbs[w] = max(t.verbs[w], e)
			}
		}
		d.tongues = append(d.tongues, t)
	}
	return d
})

// foreign looks a word of a name up in all languages but English: the most
// powerful meaning counts.
func foreign(w string) (verb, string, bool) {
	var e effect
	ascii := w != "" && w[0] < 0x80
	if ascii && len(w) < 4 {
		return verb{}, "", false
	}
	for _, t := range foreignWords().tongues {
		e = max(e, t.verbs[w])
	}
	if !ascii {
		found, _, _ := unspaced(w)
		e = max(e, found)
	}
	return verb{e, true}, w, e != none
}

// told is what a text in another language says.
type told struct {
	effect effect
	firm   float64
}

// foreignProse reads a description that is not in English. It reports false
// where it is, or says nothing that is understood.
func foreignProse(text string, ws []word, unspacedScript, english bool) (told, string, bool) {
	if unspacedScript {
		if e, words, firm := unspaced(text); e != none {
			return told{e, firm}, words, true
		}
	}
	d := foreignWords()
	at := d.recognise(ws, english)
	if at < 0 {
		return told{}, "", false
	}
	t, bit := d.tongues[at], uint16(1)<<at
	best, word := none, ""
	negated, relative := false, false
	for i, w := range ws {
		switch w.after {
		case 's', 'l':
			negated, relative = false, false
		case 'c':
			relative = false
		}
		is := d.roles[w.text]
		e := t.verbs[w.text]
		switch {
		case is.negation&bit != 0:
			negated = true
			if t.postfix && i > 0 && ws[i-1].text == word {
				best, word = none, ""
			}
		case is.relative&bit != 0 && i > 0 && w.after == 'c':
			relative = true
		case e == none, is.stop&bit != 0, negated, relative:
		case t.postfix && d.follows(ws, i, bit):
		case e > best:
			best, word = e, w.text
		}
	}
	if best == none {
		return told{}, "", false
	}
	return told{best, .75}, word, true
}

// follows reports whether a negation stands close behind the verb at i.
func (d dictionary) follows(ws []word, i int, bit uint16) bool {
	for k := i + 1; k < len(ws) && k < i+3 && ws[k].after == 0; k++ {
		if d.roles[ws[k].text].negation&bit != 0 {
			return true
		}
	}
	return false
}

var (
	english = words(`the and this with from returns that it by to or get when your you`)
	smaller = words(`the of and to for a is this with from in by an or returns on that it`)
)

// recognise tells a text's language by its small words; -1 is English or none
// that is known. led is true where an English verb has been found in front.
func (d dictionary) recognise(ws []word, led bool) int {
	var scores, verbs [16]int
	surely, en := 0, 0
	ws = ws[:min(len(ws), 80)]
	for i := range ws {
		if english.in(&ws[i]) {
			if surely++; surely > 2 {
				return -1
			}
		}
		if smaller.in(&ws[i]) {
			en++
		}
		is := d.roles[ws[i].text]
		if is == (role{}) {
			continue
		}
		for at := range d.tongues {
			bit := uint16(1) << at
			if (is.stop|is.negation)&bit != 0 {
				scores[at]++
			}
			if is.verb&bit != 0 {
				verbs[at]++
			}
		}
	}
	best, most := -1, en
	for at := range d.tongues {
		score, v := scores[at], verbs[at]
		if v > 0 && score+2*v > most && (score > 0 || en == 0) && score+v > en && (!led || score > 1) {
			best, most = at, score+2*v
		}
	}
	return best
}
