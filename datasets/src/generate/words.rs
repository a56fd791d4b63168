//! Word lists: the frequent words of each class, most frequent first, and the pieces of which the
//! rare ones and the names are made. Everyday English, written down for this purpose.

/// Nouns in the singular.
pub(super) const NOUNS: &str = "year city town village river church school company family war \
    station house name book road street film group member team game area song album county \
    party government army island bridge building railway line law language king award season \
    player club league match election village district province region valley coast mountain \
    lake forest farm field garden castle tower wall gate square market harbour ship boat port \
    factory mill mine quarry canal tunnel engine train tram bus aircraft airport hospital college \
    university library museum theatre cinema newspaper magazine letter novel poem play opera \
    symphony concert orchestra band record singer actor writer poet painter sculptor architect \
    engineer doctor lawyer judge teacher student bishop priest monk saint queen prince duke earl \
    general colonel captain soldier sailor farmer merchant miner weaver carpenter tree flower \
    leaf root seed bird fish horse dog sheep cow wolf bear snake spider butterfly beetle shell \
    bone skull stone sand clay salt coal iron copper silver gold glass paper cloth wool silk \
    water snow rain storm flood fire wind star planet moon comet orbit lens metal acid cell gene \
    protein disease drug theory method model number theorem proof equation measure scale map \
    survey census treaty battle siege revolt strike reform council court parliament committee \
    ministry bank tax trade price budget loan share market crop harvest mill bread wine beer \
    cheese recipe festival custom legend tale saying prayer hymn chapel abbey parish diocese";

/// Adjectives.
pub(super) const ADJECTIVES: &str = "new first large small old long local national early late \
    great high low major common public military royal northern southern eastern western central \
    young former main modern ancient medieval rural urban private popular famous official free \
    open narrow wide deep shallow steep flat heavy light dark bright white black red green blue \
    brown grey round square short tall strong weak quick slow early annual daily foreign native \
    coastal industrial agricultural religious political economic scientific musical literary \
    wooden stone iron empty full rich poor rare unusual strange simple complex regular formal \
    single double final initial original separate permanent temporary sacred secular distant";

/// Verbs in a form that serves as past tense and as participle.
pub(super) const VERBS: &str = "used made called found held built named located born moved \
    founded opened closed published released played formed led joined won lost elected appointed \
    replaced restored designed completed destroyed rebuilt renamed sold bought described reported \
    recorded produced developed introduced established discovered explored surveyed mapped \
    measured painted carved printed translated edited performed composed directed staged filmed \
    trained educated married buried elected crowned captured attacked defended besieged occupied \
    liberated abandoned settled farmed planted drained flooded extended connected electrified \
    widened paved repaired demolished protected listed donated inherited divided merged dissolved \
    reformed banned taxed licensed tested proved rejected accepted praised criticised ignored";

/// Adverbs.
pub(super) const ADVERBS: &str = "also later often first soon now still again then once mainly \
    usually probably finally largely partly originally formerly widely briefly jointly directly \
    quickly slowly rarely sometimes together apparently officially eventually repeatedly quietly";

/// The months.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// What invented adjectives start with, before one of [`ADJECTIVES`].
pub(super) const ADJECTIVE_PREFIXES: [&str; 10] = [
    "non", "semi", "half", "post", "pre", "all", "over", "neo", "sub", "inter",
];

/// What invented verbs start with, before one of [`VERBS`].
pub(super) const VERB_PREFIXES: [&str; 8] =
    ["re", "over", "out", "under", "pre", "mis", "un", "counter"];

/// Beginnings of the syllables of names.
pub(super) const ONSETS: [&str; 28] = [
    "b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pl",
    "r", "s", "sh", "st", "t", "th", "tr", "v", "w", "z",
];

/// Middles of the syllables of names; a few are not ASCII, as in many languages.
pub(super) const VOWELS: [&str; 22] = [
    "a", "e", "i", "o", "u", "a", "e", "i", "o", "u", "a", "e", "i", "o", "a", "ai", "ea", "ou",
    "ie", "é", "ö", "ü",
];

/// Ends of the last syllable of names.
pub(super) const CODAS: [&str; 16] = [
    "", "n", "r", "l", "s", "t", "m", "nd", "rn", "ck", "lt", "rd", "ss", "v", "d", "g",
];

/// What ends the name of a place.
pub(super) const PLACE_ENDINGS: [&str; 16] = [
    "ton", "ford", "ham", "by", "field", "burg", "stad", "mouth", "wick", "dale", "worth", "ville",
    "heim", "ia", "ovo", "ar",
];
