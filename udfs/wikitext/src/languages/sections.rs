//! Titles of the sections that close a page: references, notes, links, further reading.
//!
//! Titles are in lower case and sorted, so that a look-up is two binary searches.

/// Sorted by language code; the titles of each language are sorted.
#[rustfmt::skip]
static SECTIONS: &[(&str, &[&str])] = &[
    ("af", &[
        "bronne", "bronnelys", "eksterne skakels", "notas", "sien ook", "verdere leeswerk",
        "verwysings",
    ]),
    ("ar", &[
        "اقرأ أيضا", "اقرأ أيضًا", "المراجع", "المصادر", "الهوامش", "انظر أيضا", "انظر أيضًا",
        "انظر ايضا", "حواشي", "روابط خارجية", "طالع أيضا", "طالع أيضًا", "قراءة متعمقة", "مراجع",
        "مراجع ومصادر", "مصادر", "ملاحظات", "هوامش", "وصلات خارجية",
    ]),
    ("az", &[
        "həmçinin bax", "istinadlar", "i̇stinad", "i̇stinadlar", "mənbə", "mənbələr", "qeydlər",
        "xarici keçidlər", "ədəbiyyat",
    ]),
    ("be", &[
        "вонкавыя спасылкі", "гл. таксама", "глядзіце таксама", "зноскі", "крыніцы", "літаратура",
        "спасылкі",
    ]),
    ("bg", &[
        "бележки", "бележки и източници", "вижте също", "външни препратки", "използвана литература",
        "източници", "литература", "препратки",
    ]),
    ("bn", &[
        "আরও দেখুন", "আরও পড়ুন", "আরো দেখুন", "গ্রন্থপঞ্জি", "টীকা", "তথ্যসূত্র", "পাদটীকা",
        "বহিঃসংযোগ",
    ]),
    ("ca", &[
        "bibliografia", "bibliografia addicional", "enllaços externs", "fonts", "notes",
        "notes i referències", "referències", "referències i notes", "vegeu", "vegeu també",
    ]),
    ("cs", &[
        "externí odkazy", "literatura", "odkazy", "podobné články", "podívejte se také na",
        "použitá literatura", "poznámky", "reference", "související stránky", "související články",
        "zdroje",
    ]),
    ("cy", &[
        "cyfeiriadau", "dolenni allanol", "gweler hefyd", "llyfryddiaeth", "nodiadau",
    ]),
    ("da", &[
        "eksterne henvisninger", "eksterne links", "fodnoter", "henvisninger", "kildehenvisninger",
        "kilder", "kilder og henvisninger", "litteratur", "noter", "noter og referencer",
        "referencer", "se også",
    ]),
    ("de", &[
        "anmerkungen", "anmerkungen und einzelnachweise", "belege", "einzelnachweise",
        "einzelnachweise und anmerkungen", "fussnoten", "fußnoten", "literatur",
        "literatur und quellen", "literatur und weblinks", "literaturangaben", "nachweise", "quellen",
        "quellen und einzelnachweise", "quellen und literatur", "quellenangaben", "referenzen",
        "siehe auch", "weblinks", "weblinks und quellen",
    ]),
    ("el", &[
        "αναφορές", "βιβλιογραφία", "δείτε επίσης", "εξωτερικές συνδέσεις", "εξωτερικοί σύνδεσμοι",
        "παραπομπές", "περαιτέρω ανάγνωση", "πηγές", "σημειώσεις", "υποσημειώσεις",
    ]),
    ("en", &[
        "additional reading", "bibliography", "citations", "citations and notes", "cited references",
        "cited sources", "cited works", "endnotes", "explanatory notes", "external link",
        "external links", "external links and references", "external sources", "footnotes",
        "footnotes and references", "further reading", "further reading and references",
        "general and cited references", "general references", "inline citations", "links",
        "literature cited", "more reading", "notes", "notes and citations", "notes and references",
        "notes and sources", "other websites", "reference", "references",
        "references and external links", "references and footnotes", "references and further reading",
        "references and notes", "references and sources", "references cited", "related links",
        "related pages", "related reading", "see also", "see also and references", "sources",
        "sources and references", "weblinks", "works cited",
    ]),
    ("eo", &[
        "bibliografio", "eksteraj ligiloj", "fontoj", "literaturo", "notoj", "notoj kaj referencoj",
        "referencoj", "vidu ankaŭ",
    ]),
    ("es", &[
        "bibliografía", "bibliografía adicional", "citas", "enlace externo", "enlaces externos",
        "fuentes", "lectura adicional", "lecturas recomendadas", "notas", "notas al pie",
        "notas y referencias", "otros proyectos", "referencias", "referencias y notas",
        "vease tambien", "véase tambien", "véase también",
    ]),
    ("et", &[
        "allikad", "kirjandus", "märkused", "vaata ka", "viited", "välislingid",
    ]),
    ("eu", &[
        "bibliografia", "erreferentziak", "ikus gainera", "kanpo estekak", "kanpo loturak", "oharrak",
        "oharrak eta erreferentziak",
    ]),
    ("fa", &[
        "برای مطالعه بیشتر", "جستارهای وابسته", "مطالعه بیشتر", "منابع", "منابع و پانویس", "پانوشت",
        "پانویس", "پانویس‌ها", "پیوند به بیرون", "پیوندهای بیرونی", "کتاب‌شناسی", "یادداشت",
        "یادداشت‌ها",
    ]),
    ("fi", &[
        "aiheesta muualla", "huomautukset", "katso myös", "kirjallisuus", "kirjallisuutta",
        "linkkejä", "lue lisää", "lähteet", "ulkoiset linkit", "viitteet",
    ]),
    ("fr", &[
        "annexes", "article connexe", "articles connexes", "bibliographie", "lien externe",
        "liens et documents externes", "liens externes", "liens internes", "notes",
        "notes et références", "notes et sources", "pour approfondir", "références",
        "références et notes", "références externes", "sources", "sources et références",
        "voir aussi",
    ]),
    ("gl", &[
        "bibliografía", "ligazóns externas", "notas", "outros artigos", "outros artigos relacionados",
        "referencias", "véxase tamén",
    ]),
    ("he", &[
        "ביאורים", "ביבליוגרפיה", "הערות שוליים", "לקריאה נוספת", "מקורות", "קישורים חיצוניים",
        "ראה גם", "ראו גם",
    ]),
    ("hi", &[
        "इन्हें भी देखें", "टिप्पणियाँ", "टिप्पणी", "बाहरी कड़ियाँ", "बाहरी कड़ियां", "यह भी देखें",
        "संदर्भ", "सन्दर्भ", "सन्दर्भ ग्रन्थ", "स्रोत",
    ]),
    ("hr", &[
        "bilješke", "izvori", "literatura", "povezani članci", "poveznice", "reference",
        "reference i izvori", "također pogledajte", "vanjske poveznice", "vanjski linkovi", "vidi i",
        "vidi još", "vidjeti i",
    ]),
    ("hu", &[
        "felhasznált irodalom", "forrás", "források", "hivatkozások", "irodalom", "jegyzetek",
        "kapcsolódó lapok", "kapcsolódó szócikkek", "külső hivatkozások", "lásd még", "megjegyzések",
        "további információk", "további irodalom",
    ]),
    ("hy", &[
        "աղբյուրներ", "արտաքին հղումներ", "գրականություն", "ծանոթագրություններ", "տես նաև",
    ]),
    ("id", &[
        "bacaan lanjutan", "bacaan lebih lanjut", "catatan", "catatan kaki", "daftar pustaka",
        "kepustakaan", "lihat juga", "lihat pula", "pranala luar", "pustaka", "referensi", "rujukan",
        "sumber",
    ]),
    ("it", &[
        "altri progetti", "bibliografia", "collegamenti esterni", "fonti", "note",
        "note e riferimenti", "riferimenti", "riferimenti bibliografici", "vedi anche",
        "voci correlate",
    ]),
    ("ja", &[
        "出典", "出典・脚注", "参照", "参考文献", "外部リンク", "注", "注釈", "注釈・出典", "脚注", "脚注・出典", "脚注・参考文献", "関連文献",
        "関連項目",
    ]),
    ("ka", &[
        "გარე ბმულები", "იხილეთ აგრეთვე", "ლიტერატურა", "რესურსები ინტერნეტში", "სქოლიო",
    ]),
    ("kk", &[
        "дереккөз", "дереккөздер", "пайдаланған әдебиет", "сыртқы сілтемелер", "сілтемелер",
        "тағы қараңыз",
    ]),
    ("ko", &[
        "각주", "같이 보기", "바깥 고리", "외부 링크", "주석", "주해", "참고 문헌", "참고 자료", "참고문헌", "출처", "함께 보기",
    ]),
    ("la", &[
        "bibliographia", "nexus externi", "nexus interni", "notae", "vide etiam",
    ]),
    ("lt", &[
        "išnašos", "literatūra", "nuorodos", "pastabos", "taip pat skaitykite", "šaltiniai",
    ]),
    ("lv", &[
        "atsauces", "literatūra", "piezīmes", "piezīmes un atsauces", "skatīt arī", "ārējās saites",
    ]),
    ("mk", &[
        "белешки", "извори", "литература", "наводи", "надворешни врски", "поврзано",
    ]),
    ("ms", &[
        "bacaan lanjut", "bibliografi", "catatan", "lihat juga", "nota", "nota kaki", "pautan luar",
        "rujukan", "sumber",
    ]),
    ("nl", &[
        "bibliografie", "bron", "bronnen", "bronnen en referenties",
        "bronnen, noten en/of referenties", "bronvermelding", "externe bronnen",
        "externe koppelingen", "externe link", "externe links", "literatuur", "noten",
        "noten en referenties", "referenties", "verder lezen", "voetnoten", "zie ook",
    ]),
    ("no", &[
        "bakgrunnsstoff", "eksterne lenker", "eksterne lenkjer", "fotnoter", "kilder", "kjelder",
        "litteratur", "noter", "noter og referanser", "referansar", "referanser", "se også", "sjå òg",
        "videre lesning",
    ]),
    ("pl", &[
        "bibliografia", "bibliografia dodatkowa", "linki zewnętrzne", "literatura",
        "odnośniki zewnętrzne", "przypisy", "uwagi", "uwagi i przypisy", "zobacz też", "źródła",
    ]),
    ("pt", &[
        "bibliografia", "fontes", "leitura adicional", "leitura complementar", "leituras adicionais",
        "ligação externa", "ligações externas", "links externos", "notas", "notas de rodapé",
        "notas e referências", "referências", "referências bibliográficas", "veja também",
        "ver também",
    ]),
    ("ro", &[
        "bibliografie", "lecturi suplimentare", "lectură suplimentară", "legături externe",
        "legături interne", "note", "note și referințe", "referinţe", "referințe", "surse", "vezi şi",
        "vezi și",
    ]),
    ("ru", &[
        "библиография", "внешние ссылки", "использованная литература", "источники",
        "источники и литература", "комментарии", "литература", "примечания", "примечания и ссылки",
        "см. также", "смотри также", "смотрите также", "сноски", "ссылки",
    ]),
    ("sk", &[
        "externé odkazy", "iné projekty", "literatúra", "poznámky", "poznámky a referencie",
        "pozri aj", "referencie", "referencie a bibliografia", "zdroje",
    ]),
    ("sl", &[
        "glej tudi", "literatura", "opombe", "sklici", "sklici in opombe", "viri", "viri in sklici",
        "zunanje povezave",
    ]),
    ("sq", &[
        "burime", "burimet", "lidhje të jashtme", "referime", "referimet", "shih edhe", "shiko edhe",
    ]),
    ("sr", &[
        "izvori", "literatura", "napomene", "reference", "spoljašnje veze", "također pogledati",
        "vidi još", "види још", "извори", "извори и референце", "литература", "напомене", "референце",
        "спољашње везе",
    ]),
    ("sv", &[
        "bibliografi", "externa källor", "externa länkar", "fotnoter", "källförteckning",
        "källhänvisningar", "källor", "litteratur", "noter", "referenser", "se även",
        "vidare läsning",
    ]),
    ("ta", &[
        "இவற்றையும் பார்க்கவும்", "உசாத்துணை", "குறிப்புகள்", "மேற்கோள்", "மேற்கோள்கள்",
        "வெளி இணைப்புகள்", "வெளியிணைப்புகள்",
    ]),
    ("te", &[
        "ఇవి కూడా చూడండి", "బయటి లంకెలు", "బయటి లింకులు", "మూలాలు", "వనరులు",
    ]),
    ("th", &[
        "ดูเพิ่ม", "บรรณานุกรม", "รายการอ้างอิง", "หมายเหตุ", "อ้างอิง", "เชิงอรรถ",
        "แหล่งข้อมูลอื่น",
    ]),
    ("tr", &[
        "ayrıca bakınız", "bibliyografya", "dipnotlar", "dış bağlantılar", "ilgili maddeler",
        "kaynaklar", "kaynakça", "konuyla ilgili yayınlar", "notlar",
    ]),
    ("uk", &[
        "бібліографія", "виноски", "джерела", "джерела та література", "джерела та посилання",
        "див. також", "дивись також", "дивіться також", "зовнішні посилання", "література",
        "література та джерела", "посилання", "примітки",
    ]),
    ("ur", &[
        "بیرونی روابط", "حواشی", "حوالہ جات", "حوالے", "مزید دیکھیں", "مزید دیکھیے",
    ]),
    ("vi", &[
        "chú thích", "chú thích và tham khảo", "ghi chú", "liên kết ngoài", "nguồn",
        "nguồn tham khảo", "tham khảo", "thư mục", "tài liệu tham khảo", "xem thêm", "đọc thêm",
    ]),
    ("zh", &[
        "來源", "参看", "参考", "参考文献", "参考来源", "参考资料", "参见", "參看", "參考", "參考來源", "參考文獻", "參考資料", "參見",
        "外部连结", "外部連結", "外部鏈接", "外部链接", "延伸閱讀", "延伸阅读", "引用", "扩展阅读", "擴展閱讀", "来源", "注脚", "注解", "注释",
        "相关条目", "相關條目", "脚注", "腳註", "註解", "註釋", "資料來源", "资料来源",
    ]),
];

/// True if a section of this title (lower case, trimmed) closes a page in the language, or in any
/// language if the code has no list.
pub(crate) fn is_closing(code: &str, title: &str) -> bool {
    let code = code.to_ascii_lowercase();
    let code = match code.as_str() {
        "bs" => "hr",
        "nb" => "no",
        "nn" => "no",
        "sh" => "hr",
        "simple" => "en",
        code => code,
    };
    match SECTIONS.binary_search_by(|(known, _)| (*known).cmp(code)) {
        Ok(found) => SECTIONS
            .get(found)
            .is_some_and(|(_, titles)| titles.binary_search(&title).is_ok()),
        Err(_) => SECTIONS
            .iter()
            .any(|(_, titles)| titles.binary_search(&title).is_ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(SECTIONS.is_sorted_by_key(|(code, _)| code));
        for (code, titles) in SECTIONS {
            assert!(titles.is_sorted(), "{code}");
        }
    }
}
