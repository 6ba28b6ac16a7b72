package authority

import (
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// stem is the beginning of a verb in a language that is written without
// spaces, or with endings that change too much for a list of forms.
type stem struct {
	text   string
	effect effect
}

// stems are looked for as they stand, the longest first where they overlap.
var stems = sync.OnceValue(func() []stem {
	var all []stem
	for _, class := range []struct {
		effect effect
		list   string
	}{
		{observe, `获取 查询 搜索 查找 查看 列出 显示 读取 检索 返回 浏览 检查 比较 统计 计算 分析 验证 翻译 转换 生成 預覽 获得 提供 取得 検索 表示 一覧 調べ 読み取 読み込 確認 比較 計算 照会 閲覧
조회 검색 보여 표시 목록 읽 가져 확인 비교 계산 반환 查詢 搜尋 顯示 讀取 列出 取得 عرض بحث قراءة جلب الحصول दिखा खोज पढ़ แสดง ค้นหา อ่าน`},
		{change, `创建 新建 添加 增加 更新 修改 编辑 设置 写入 插入 替换 重命名 移动 复制 启动 停止 配置 导入 标记 建立 新增 編輯 設定 作成 追加 更新 変更 編集 書き込 挿入 置き換 移動 コピー 起動 停止 登録
만들 생성 추가 수정 변경 업데이트 편집 설정 작성 이동 복사 시작 중지 등록 إنشاء إضافة تعديل تحديث बना जोड़ बदल สร้าง เพิ่ม แก้ไข`},
		{here, `保存 下载 安装 下載 儲存 ダウンロード インストール 저장 다운로드 설치 حفظ تنزيل सहेज บันทึก ดาวน์โหลด`},
		{away, `发送 发布 上传 分享 通知 提交 预订 预约 邀请 评论 回复 推送 發送 發佈 傳送 送信 投稿 公開 共有 予約 招待 보내 전송 게시 발행 공유 알림 예약 초대 댓글 제출 إرسال نشر مشاركة حجز भेज ส่ง เผยแพร่ จอง`},
		{destroy, `删除 移除 清除 清空 销毁 撤销 取消 终止 注销 卸载 抹除 覆盖 永久 刪除 清除 銷毀 削除 消去 消し 破棄 取り消 終了 抹消 上書き 삭제 지웁 지우 지웠 제거 비우 비웁 취소 종료 폐기 영구 초기화 탈퇴 حذف إزالة مسح إلغاء हटा मिटा ลบ ยกเลิก`},
		{spend, `购买 支付 付款 转账 下单 充值 退款 購買 轉帳 購入 支払 送金 決済 注文 구매 결제 송금 이체 주문 환불 شراء دفع تحويل खरीद भुगतान ซื้อ ชำระ โอนเงิน`},
		{run, `执行 运行 執行 実行 실행 تنفيذ`},
	} {
		for w := range strings.FieldsSeq(class.list) {
			all = append(all, stem{w, class.effect})
		}
	}
	return all
})

// refusals negate what stands in their clause: in front of the verb in
// Chinese, behind it in Japanese and Korean, where the clause ends with it.
const (
	refusesBefore = `不 未 无 無 没有 沒有 勿 禁止 避免 안 못 لا بدون دون ไม่`
	refusesBehind = `ません ない なく ずに 않 없 지않 안함 금지 नहीं`
	recorded      = `历史 日志 记录 歷史 日誌 紀錄 履歴 ログ 記録 一覧 済み 済 された されて 기록 내역 이력 로그 목록 된 됨 通知 的 状态 时间 日期 策略`
	passives      = `已 被 あらかじめ 자동으로`
)

func hasUnspaced(text string) bool {
	seen := 0
	for i, r := range text {
		if r >= 0x600 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Arabic, unicode.Devanagari, unicode.Thai)) {
			if seen++; seen > 1 {
				return true
			}
		}
		if i > 4096 {
			break
		}
	}
	return false
}

// unspaced finds the most powerful verb that a text says and does not negate.
func unspaced(text string) (effect, string, float64) {
	const longest = 1 << 16
	if len(text) > longest {
		text = text[:longest]
	}
	best, found, firm := none, "", 0.0
	for clause := range clauses(text) {
		for _, s := range stems() {
			if s.effect <= best && firm >= enough {
				continue
			}
			for at := 0; ; {
				i := strings.Index(clause[at:], s.text)
				if i < 0 {
					break
				}
				i += at
				at = i + len(s.text)
				if !counts(clause, i, at) {
					continue
				}
				sure := .4
				if acting := atVerbPlace(clause, i, at, s.effect); acting {
					sure = .75
				}
				if sure > firm || sure == firm && s.effect > best {
					best, found, firm = s.effect, s.text, sure
				}
			}
		}
	}
	return best, found, firm
}

// verbal are the endings of Japanese and Korean verbs, and what stands before a
// Chinese one.
const (
	endings = `し す する ます でき ま え り せ を行 ち い 합 하 해 한 했 니다 기 고 며 어 여 습니다 드립 줍 주 요 ड़ ता ना ें 到 为 成 至 给 進 入 一 指 该 所有 全部 这 這 某`
	openers = `， , 、 并 並 和 或 及 且 用于 用來 可 以 来 來 会 會 将 將 ： : ） ) 后 後 能 请 請 批量 永久 自动 直接 立即 全部 彻底 ` + "\u3000"
)

// atVerbPlace reports whether a stem stands where its language has verbs.
func atVerbPlace(clause string, from, to int, e effect) bool {
	head := strings.TrimSpace(clause[:from])
	if head == "" {
		return true
	}
	for w := range strings.FieldsSeq(openers) {
		if strings.HasSuffix(head, w) && (e >= destroy || w != "，" && w != "," && w != "、") {
			return true
		}
	}
	if strings.ContainsAny(head, "将把將") {
		return true
	}
	behind := strings.TrimLeft(clause[to:], " ")
	for w := range strings.FieldsSeq(endings) {
		if strings.HasPrefix(behind, w) {
			return true
		}
	}
	r, _ := utf8.DecodeRuneInString(clause[from:])
	return r < 0x2E80 // Arabic, Devanagari, Thai: the stem is a word
}

// clauses are the parts of a text that end with a mark; one that goes on for
// ever is cut.
func clauses(text string) iter.Seq[string] {
	const longest = 512 // bytes
	return func(yield func(string) bool) {
		for clause := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("。！？；;!?\n.", r) }) {
			for len(clause) > longest {
				cut := longest
				for !utf8.RuneStart(clause[cut]) {
					cut--
				}
				if !yield(clause[:cut]) {
					return
				}
				clause = clause[cut:]
			}
			if !yield(clause) {
				return
			}
		}
	}
}

// counts reports whether the verb between from and to is what happens.
func counts(clause string, from, to int) bool {
	before := clause[max(0, from-8*utf8.UTFMax):from]
	if i := strings.LastIndexAny(before, "，,：:（("); i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		before = before[i+size:]
	}
	for w := range strings.FieldsSeq(refusesBefore) {
		if strings.Contains(before, w) && !(w == "안" && !strings.HasSuffix(strings.TrimSpace(before), w)) {
			return false
		}
	}
	for w := range strings.FieldsSeq(passives) {
		if strings.HasSuffix(before, w) && w != "자동으로" {
			return false
		}
	}
	behind := clause[to:]
	for w := range strings.FieldsSeq(recorded) {
		if strings.HasPrefix(strings.TrimLeft(behind, " の的"), w) {
			return false
		}
	}
	if i := strings.IndexAny(behind, "，,"); i >= 0 {
		behind = behind[:i]
	}
	for w := range strings.FieldsSeq(refusesBehind) {
		if strings.Contains(behind, w) {
			return false
		}
	}
	return true
}
