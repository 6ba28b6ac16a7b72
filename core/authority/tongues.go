package authority

// language is what is known of one that is written with spaces. Words are
// spelled without accents, in the forms in which descriptions use them.
type language struct {
	stop      string // words by which it is recognised
	negations string
	postfix   bool // the negation may follow the verb
	relative  string
	verbs     map[effect]string
}

// westernLanguages are those of the west of Europe but English. Of each verb: the infinitive, the third person
// and the imperative, as far as they differ.
func westernLanguages() []language {
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
	}
}
