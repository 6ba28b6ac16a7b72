package authority

// easternLanguages are those of the east and north of Europe, and Turkish.
func easternLanguages() []language {
	return []language{
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
