//! Names of the file and category namespaces, and the words for a redirect, in lower case.

/// Sorted.
#[rustfmt::skip]
const FILE: &[&str] = &[
    "afbeelding", "archivo", "arquivo", "attēls", "beeld", "berkas", "bestand", "bild", "bilde",
    "billede", "billeid", "dataja", "datei", "datoteka", "delwedd", "dosiero", "dosya", "dáta",
    "fail", "faili", "fails", "fayl", "faýl", "ffeil", "ficheiro", "fichero", "ficheru",
    "fichier", "fichièr", "fichye", "figura", "figùra", "fiil", "fil", "file", "files",
    "fitxategi", "fitxer", "fișier", "fájl", "gambar", "gerdayişek", "grafika", "hoto", "hình",
    "image", "imagem", "imagen", "imagine", "imatge", "imaxe", "imaxen", "imej", "immagine",
    "immaxine", "imàgene", "irudi", "kuva", "kép", "larawan", "lêer", "media", "mynd", "obrázok",
    "payl", "picha", "pilt", "plaatje", "plik", "rasm", "resim", "restr", "skedar", "skedari",
    "skeudenn", "skrá", "slika", "soubor", "súbor", "talaksan", "tiedosto", "tập tin", "vaizdas",
    "wobraz", "wp-fil", "wêne", "wôbraz", "íomhá", "şəkil", "αρχείο", "εικόνα", "акас", "акс",
    "бӑхташ", "выява", "датотека", "зображення", "зураг", "изображение", "картинка", "плик",
    "рәсем", "слика", "сурет", "файл", "файлы", "ҳужҷат", "ծառ", "պատկեր", "קובץ", "תמונה",
    "تصویر", "صورة", "قובץ", "ملف", "وێنە", "پرونده", "پەڕگە", "चित्र", "संचिका", "চিত্র", "ফাইল",
    "ਤਸਵੀਰ", "ફાઇલ", "படிமம்", "దస్త్రం", "ఫైలు", "ಚಿತ್ರ", "പ്രമാണം", "ഫയൽ", "ගොනුව", "ภาพ",
    "ไฟล์", "ຮູບ", "ཡིག་ཆ።", "ဖိုင်", "ဖိုင်း", "სურათი", "ფაილი", "ስዕል", "រូបភាព", "ファイル", "图像",
    "圖像", "文件", "文檔", "档案", "檔案", "画像", "그림", "파일",
];

/// Sorted.
#[rustfmt::skip]
const CATEGORY: &[&str] = &[
    "bólkur", "catagoir", "catagóir", "categoria", "categorie", "category", "categorye",
    "categorìa", "categoría", "categorîa", "categuria", "categurìa", "catigurìa", "catégorie",
    "flokkur", "jamii", "kaarangay", "kategooria", "kategorea", "kategoreja", "kategori", "kategoria", "kategoriak",
    "kategorie", "kategoriija", "kategorij", "kategorija", "kategorio", "kategoriya",
    "kategoriye", "kategoriýa", "kategory", "kategorya", "kategoría", "kategorî", "kategorėjė", "kateguoreja",
    "kategória", "kateqoriya", "katiguriya", "kawan", "klad", "klas", "luokka", "mokgopa", "rann",
    "roinn-seòrsa", "rukuni", "rummad", "sokajy", "thể loại", "turkum", "ubundlela", "κατηγορία",
    "ангилал", "категори", "категория", "категориясы", "категорија", "категорія", "катэгорыя",
    "сategory", "санат", "төркем", "төрөл", "կատեգորիա", "קטגוריה", "بؤلمه", "تصنيف", "دسته",
    "رده", "زمرہ", "پۆل", "گٹھ", "पुचः", "वर्ग", "वर्गः", "श्रेणी", "বিষয়শ্রেণী", "ਸ਼੍ਰੇਣੀ",
    "શ્રેણી", "ଶ୍ରେଣୀ", "பகுப்பு", "వర్గం", "ವರ್ಗ", "വിഭാഗം", "വർഗ്ഗം", "ප්‍රවර්ගය", "หมวดหมู่",
    "კატეგორია", "መደብ", "ምድብ", "ẹ̀ka", "カテゴリ", "分类", "分類", "분류",
];

/// The word after `#` that makes a page a redirect.
#[rustfmt::skip]
pub(super) const REDIRECT: &[&str] = &[
    "aanstuur", "alih", "aýdaw", "ohjaus", "omdirigering", "omdiriger", "përcillo", "patrz",
    "przekieruj", "przekierowanie", "tam", "preusmeritev", "preusmeri", "preusmjeri", "przekier",
    "rinvia", "rinvio", "redirect", "redireccion", "redirección", "redirecionamento",
    "redirection", "redirecionamento", "redirecteaza", "redirectează", "suuna", "tilvísun",
    "weiterleitung", "doorverwijzing", "yönlendirme", "yönlendir", "átirányítás", "birzuzendu",
    "перенаправление", "перенапр", "перенаправлення", "пренасочване", "виж", "преусмери",
    "пренасочување", "перанакіраваньне", "перанакіраванне", "айдау", "ανακατευθυνση",
    "ανακατεύθυνση", "הפניה", "تحويل", "تغییر_مسیر", "تغییرمسیر", "رجوع_مکرر", "अनुप्रेषित",
    "पुनर्निर्देशित", "পুনর্নির্দেশ", "เปลี่ยนทาง", "đổi", "重定向", "重新導向", "転送", "リダイレクト", "넘겨주기",
    "vererwys", "přesměruj", "presmeruj", "ათავ", "გადამისამართება", "վերահղում", "ridirect",
];

/// True if a link prefix (lower case, spaces for underscores) names the file namespace.
pub(crate) fn is_file(prefix: &str) -> bool {
    FILE.binary_search(&prefix).is_ok()
}

/// True if a link prefix (lower case, spaces for underscores) names the category namespace.
pub(crate) fn is_category(prefix: &str) -> bool {
    CATEGORY.binary_search(&prefix).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(FILE.is_sorted() && CATEGORY.is_sorted());
    }
}
