//! Lists of words by language, which give the kind of a word.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::text_hasher::TextHasherBuilder;

/// What a word of a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordClass {
    /// An article, a pronoun, a conjunction, an adverb of degree: its change does not change a fact.
    Function,
    /// A function word that begins a phrase before the subject.
    Preposition,
    /// A finite verb, which ends the subject.
    Verb,
    /// A word that negates.
    Negation,
    /// A month or a day of the week, by its place in the list: months first.
    Calendar(u32),
    /// A number as a word.
    Number(u32),
    /// A number of an order as a word.
    Ordinal(u32),
    /// A power of ten that multiplies the number before it, by its exponent.
    Power(u32),
    /// A word that excludes the other words of its group.
    Contrast(u32),
}

/// What is known of a word of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed {
    pub(super) class: WordClass,
    /// Whether it is a finite verb, and perhaps something else, too.
    pub(super) is_verb: bool,
}

/// The lists of a language.
#[derive(Debug)]
pub(super) struct Words {
    /// Its code; `None` for languages without lists.
    pub(super) code: Option<&'static str>,
    /// Whether a capital within a sentence begins a proper name: not in German, which writes all nouns so.
    pub(super) capitals_are_names: bool,
    listed: HashMap<String, Listed, TextHasherBuilder>,
    pronouns: Set,
    denials: Set,
    opposites: Set,
    groups: Set,
    authorities: Set,
}

type Set = HashSet<&'static str, TextHasherBuilder>;

impl Words {
    /// What a word is, given in lower case and without accents.
    pub(super) fn get(&self, word: &str) -> Option<Listed> {
        self.listed.get(word).copied()
    }

    /// Whether a word is a verb and never a noun.
    pub(super) fn is_auxiliary(&self, word: &str) -> bool {
        self.code != Some("en") || AUXILIARIES.contains(&word)
    }

    /// Whether a word, in any case, is a number of an order.
    pub(super) fn is_ordinal(&self, word: &str) -> bool {
        let found = self.get(word.to_lowercase().as_str());
        found.is_some_and(|found| matches!(found.class, WordClass::Ordinal(_)))
    }

    /// Whether a word is a pronoun that is a subject and identifies nothing.
    pub(super) fn is_pronoun(&self, word: &str) -> bool {
        self.pronouns.contains(word)
    }

    /// Whether a word denies what follows it without a negation: "failed to win".
    pub(super) fn is_denial(&self, word: &str) -> bool {
        self.denials.contains(word)
    }

    /// Whether a word has the opposite meaning with the prefix "dis", "in", "im", "il" or "ir".
    pub(super) fn has_opposite(&self, word: &str) -> bool {
        self.opposites.contains(word)
    }

    /// Whether a name is that of a state or an authority, which is in many texts that are about something else.
    pub(super) fn is_authority(&self, word: &str) -> bool {
        self.authorities.contains(word)
    }

    /// Whether a name is that of a group of people, and identifies nothing.
    pub(super) fn is_group(&self, word: &str) -> bool {
        self.groups.contains(word)
    }
}

/// The source of the lists of a language: words separated by blanks, groups by lines.
struct Source {
    code: &'static str,
    function: &'static str,
    prepositions: &'static str,
    verbs: &'static str,
    negations: &'static str,
    calendar: &'static str,
    /// Words for 2, 3, ….
    numbers: &'static str,
    /// A word for one time.
    once: &'static str,
    /// Words for 20, 30, ….
    tens: &'static str,
    /// Words for the powers of ten of `POWERS`.
    powers: &'static str,
    /// Words for the first, second, third, ….
    ordinals: &'static str,
    contrasts: &'static str,
    /// Pronouns that are a subject.
    pronouns: &'static str,
    denials: &'static str,
    opposites: &'static str,
    groups: &'static str,
    authorities: &'static str,
}

/// Exponents of the powers of ten that have words.
const POWERS: [u32; 5] = [2, 3, 6, 9, 12];

static LANGUAGES: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let mut all: Vec<Words> = SOURCES.iter().map(read).collect();
    all.push(Words {
        code: None,
        capitals_are_names: true,
        listed: HashMap::default(),
        pronouns: Set::default(),
        denials: Set::default(),
        opposites: Set::default(),
        groups: Set::default(),
        authorities: Set::default(),
    });
    all
});

/// The lists of a language.
pub(super) fn of(language: &str) -> &'static Words {
    let base = language.split(['-', '_']).next().unwrap_or_default();
    let base = match base.to_ascii_lowercase() {
        simple if simple == "simple" => "en".to_owned(),
        other => other,
    };
    let all: &'static Vec<Words> = &LANGUAGES;
    let last = all.len() - 1;
    let found = all.iter().find(|words| words.code == Some(base.as_str()));
    found.unwrap_or(&all[last])
}

fn read(source: &Source) -> Words {
    let verbs: Set = source.verbs.split_whitespace().collect();
    let mut listed = HashMap::default();
    let mut add = |words: &str, kind: &dyn Fn(u32) -> WordClass| {
        for (at, word) in words.split_whitespace().enumerate() {
            for form in word.split('/') {
                let listing = Listed {
                    class: kind(at as u32),
                    is_verb: verbs.contains(form),
                };
                listed.insert(form.to_owned(), listing);
            }
        }
    };
    add(source.function, &|_| WordClass::Function);
    add(source.prepositions, &|_| WordClass::Preposition);
    add(source.verbs, &|_| WordClass::Verb);
    add(source.negations, &|_| WordClass::Negation);
    add(source.calendar, &WordClass::Calendar);
    for (group, line) in source.contrasts.lines().enumerate() {
        add(line, &|_| WordClass::Contrast(group as u32));
    }
    add(source.numbers, &|at| WordClass::Number(at + 2));
    add(source.once, &|_| WordClass::Number(1));
    add(source.tens, &|at| WordClass::Number(10 * (at + 2)));
    add(source.powers, &|at| {
        WordClass::Power(POWERS.get(at as usize).copied().unwrap_or_default())
    });
    add(source.ordinals, &|at| WordClass::Ordinal(at + 1));
    Words {
        code: Some(source.code),
        capitals_are_names: source.code != "de",
        listed,
        pronouns: source.pronouns.split_whitespace().collect(),
        denials: source.denials.split_whitespace().collect(),
        opposites: source.opposites.split_whitespace().collect(),
        groups: source.groups.split_whitespace().collect(),
        authorities: source.authorities.split_whitespace().collect(),
    }
}

/// English verbs that are never nouns.
const AUXILIARIES: [&str; 12] = [
    "is", "are", "was", "were", "has", "have", "had", "did", "does", "became", "would", "could",
];

const SOURCES: [Source; 6] = [
    Source {
        code: "en",
        function: "a an the this that these those such other another each every some any many much more most several few \
            i you he she it we they him her them his hers its our their theirs who whom whose which what \
            and or but nor so yet if than then as also too very just only even still already again ever now today \
            there here where when why how while whilst whereas because although though however therefore thus hence \
            moreover furthermore additionally specifically generally usually often sometimes mainly mostly primarily \
            approximately about around nearly almost roughly circa c ca some over exactly currently presently \
            both either all half same own well up out off down later soon together further till til s one ones \
            least being having mr mrs dr thanks please yes hello hi ok",
        prepositions: "in on at by of to for from with during after before since until into onto through throughout \
            following according despite under among amongst between within without against along across near upon \
            per via toward towards besides beyond behind beneath beside prior due like",
        verbs: "is are was were am be been has have had do does did will would can could may might must shall should \
            became become becomes won wins lost plays played serves served includes include included contains contain \
            contained consists consist consisted made makes make went goes took takes began begins ended ends held \
            holds lies lay covers covered lived wrote writes reached received opened closed died gave gives got \
            came comes ran runs sank rises rose flows crosses connects carries exports imports takes seats flies employs extends \
            stretches stands stood set sets met meets led leads built sold said says told found finds \
            represents represented features featured refers refer spent left felt fell rose grew drew flew knew \
            saw sees represent thought brought bought fought taught caught sent kept meant paid read cut put hit shows showed remains \
            remained joined moved married published released directed produced starred appeared appears returned \
            forms formed marks occurs occur occurred belongs belong provides provide provided uses use used works \
            worked owns owned tends tend requires require seems seem defeated beat scored finished earned estimates \
            estimated reported reports increases decreases grew shrank includes excludes allows prohibits forbids chose broke \
            drove ate fled forgot froze hid laid lent rode sang shook slept sought spoke stole struck swam threw wore",
        negations: "not no never none cannot neither didn't doesn't don't wasn't weren't isn't aren't hasn't haven't \
            hadn't won't wouldn't couldn't can't shouldn't nobody nothing",
        calendar: "january/jan february/feb march april/apr may june/jun july/jul august/aug september/sept/sep october/oct \
            november/nov december/dec monday tuesday wednesday thursday friday saturday sunday spring summer autumn \
            winter",
        numbers: "two/twice three/thrice four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
            sixteen seventeen eighteen nineteen",
        once: "once",
        tens: "twenty thirty forty fifty sixty seventy eighty ninety",
        powers: "hundred thousand million billion trillion",
        ordinals: "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth \
            thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
        contrasts: "north south east west northeast northwest southeast southwest\nnorthern southern eastern western \
            central northeastern northwestern southeastern southwestern\nlargest smallest\nhighest lowest\nlonger \
            shorter\nlongest shortest\nhigher lower\nlarger smaller\nolder younger\neldest youngest oldest newest\n\
            increased decreased\nincrease decrease\nrose fell\nwon lost drew\nwin loss draw\nvictory defeat\nborn died\n\
            birth death\nmale female\nmales females\nmen women\nman woman\nboy girl\nboys girls\nfather mother\nson \
            daughter\nsons daughters\nbrother sister\nbrothers sisters\nhusband wife widow\nuncle aunt\nnephew niece\n\
            king queen\nprince princess\nbefore after\nabove below\nleft right\nupper lower\nearly late\nearlier later\n\
            red blue green yellow black white brown purple orange pink grey gray\nimport export\nimports exports\n\
            buy sell\nbought sold\nopened closed\npublic private\nmajority minority\nmaximum minimum\nmore less fewer\n\
            rural urban\ninner outer\ncatholic protestant orthodox\nsingle married divorced widowed\nalive dead\n\
            gold silver bronze\nhome away\nally enemy\nmorning afternoon evening\nbachelor master doctor\nhigh low\n\
            guilty innocent acquitted convicted\naccepted rejected\nannual monthly weekly daily\nvowel consonant\n\
            increases decreases\nincreasing decreasing\nrises falls\ngrew shrank\nincludes excludes\nincluded excluded\n\
            allowed prohibited forbidden banned\nallows prohibits forbids bans\ntens dozens hundreds thousands millions \
            billions\npositive negative\nstrong weak\nstronger weaker\nfaster slower\nwarmer colder\nlegal illegal\n\
            legalized banned\nexpanded reduced\nadult child\n\
            inside outside\nupstream downstream\nuphill downhill\nupward downward\nupwards downwards\n\
            internal external\ninterior exterior\nindoor outdoor\nindoors outdoors\nonshore offshore\n\
            addition deletion\nadditions deletions\nadded removed\nadds removes\nentry exit\n\
            arrival departure\narrived departed\narrives departs\nascent descent\nascending descending\n\
            sunrise sunset\ndawn dusk\nmember observer\nmembers observers\nsuccess failure\n\
            surplus deficit\nhorizontal vertical\nhorizontally vertically\nclockwise counterclockwise\n\
            northbound southbound eastbound westbound\nnorthward southward eastward westward\n\
            northwards southwards eastwards westwards\ntemporary permanent\ntemporarily permanently\n\
            optional mandatory\nvoluntary compulsory\ndomestic foreign\nshallow deep\nnarrow wide\nnarrower wider\n\
            odd even\nplaintiff defendant\nwinner loser\nwinners losers\nhot cold\nwet dry\nsenior junior\n\
            begins ends\nbegan ended\nincoming outgoing",
        pronouns: "it he she they this these",
        denials: "fail fails failed failing unable refuse refuses refused decline declined lack lacks lacked lacking \
            without avoid avoided avoids prevented prevents denied denies impossible unlikely hardly barely rarely \
            seldom absent neither",
        opposites: "agree agrees agreed agreeing approve approved approves appear appears appeared like liked likes \
            trust trusted connect connected continue continued prove proved proven qualified satisfied similar honest \
            obey obeyed allow allowed united proportionate complete direct directly active correct correctly \
            dependent dependence visible capable sufficient adequate accurate secure formal effective definite \
            finite organic valid possible perfect mature mobile moral partial proper probable legal legally literate \
            logical legitimate regular regularly relevant responsible reversible replaceable",
        groups: "hispanic hispanics latino latinos latina latinas asian asians african africans american americans \
            native natives pacific islander islanders white whites black blacks caucasian caucasians indian indians \
            european europeans christian christians catholic catholics protestant protestants muslim muslims jew jews \
            jewish hindu hindus buddhist buddhists alaska alaskan cdp",
        authorities: "united states us usa census bureau",
    },
    Source {
        code: "de",
        function: "der die das den dem des ein eine einen einem einer eines dieser diese dieses er sie es wir ihr sein \
            seine seiner seinem ihre ihrer ihrem und oder aber sondern denn dass weil wenn als wie auch noch schon nur \
            sehr mehr etwa circa ca rund ungefahr fast dort hier heute damals jedoch sowie sich man welche welcher \
            welches deren dessen so dann also bereits zudem ausserdem",
        prepositions: "in im an am auf aus bei beim mit nach von vom zu zum zur vor fur uber unter durch gegen ohne um \
            bis seit wahrend zwischen neben wegen laut trotz",
        verbs: "ist sind war waren wird werden wurde wurden hat haben hatte hatten kann konnte muss musste soll sollte \
            will wollte liegt lag gehort gehorte besteht bestand umfasst erhielt gewann verlor spielte spielt lebte \
            lebt arbeitete starb wuchs kam ging stand steht fuhrte fuhrt bildet bildete zahlt zahlte gilt galt \
            begann endete schrieb erschien betreibt betreiben befindet befinden betrug betragt gibt gab fand findet \
            nahm zog fiel entstand mundet fließt verlauft besitzt besaß trug tragt wechselte studierte heiratete \
            grundete baute ubernahm veroffentlichte leitete verkaufte kaufte erwarb blieb bleibt",
        negations: "nicht kein keine keinen keinem keiner nie niemals",
        calendar: "januar februar marz april mai juni juli august september oktober november dezember montag dienstag \
            mittwoch donnerstag freitag samstag sonntag",
        numbers: "zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
        once: "",
        tens: "zwanzig dreissig/dreißig vierzig funfzig sechzig siebzig achtzig neunzig",
        powers: "hundert tausend million/millionen milliarde/milliarden billion/billionen",
        ordinals: "erste/ersten/erster/erstes zweite/zweiten/zweiter dritte/dritten/dritter vierte/vierten funfte/funften \
            sechste/sechsten",
        contrasts: "norden suden osten westen\nnordlich sudlich ostlich westlich\nnordliche sudliche ostliche \
            westliche\ngrosste kleinste\nhochste niedrigste\nsohn tochter\nvater mutter\nbruder schwester\ngewann \
            verlor\nvor nach\nlinks rechts\nlinke rechte\nlinken rechten\ninnerhalb außerhalb\noberhalb \
            unterhalb\nobere untere\noberen unteren\noberer unterer\nflussaufwarts flussabwarts\nfruher spater\n\
            hoher niedriger\nalter junger\nnordlichen sudlichen ostlichen westlichen\nnordlicher sudlicher ostlicher \
            westlicher\nstieg sank\nzunahme abnahme\nmehrheit minderheit\nmannlich weiblich\nmannliche weibliche\n\
            manner frauen\nmann frau\nkonig konigin\ngeoffnet geschlossen",
        pronouns: "er sie es",
        denials: "ohne scheiterte verweigerte",
        opposites: "",
        groups: "",
        authorities: "",
    },
    Source {
        code: "fr",
        function: "le la les l un une des d ce cet cette ces il elle ils elles on nous vous se s sa son ses leur leurs \
            et ou mais donc car que qui dont ou quand comme aussi tres plus moins environ pres presque deja encore \
            seulement y en lui eux ceux celle celui ainsi alors notamment c qu n",
        prepositions: "a au aux de du dans par pour sur sous avec sans entre vers chez depuis pendant apres avant selon \
            lors des contre",
        verbs: "est sont etait etaient fut furent sera a ont avait avaient eut devient devint peut peuvent doit comprend \
            compte comptait contient joue joua vit vecut meurt mourut nait naquit gagne gagna remporte remporta \
            trouve situe appartient fait fit",
        negations: "ne pas jamais aucun aucune rien",
        calendar: "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre lundi mardi \
            mercredi jeudi vendredi samedi dimanche",
        numbers: "deux trois quatre cinq six sept huit neuf dix onze douze",
        once: "",
        tens: "vingt trente quarante cinquante soixante",
        powers: "cent/cents mille million/millions milliard/milliards billion/billions",
        ordinals: "premier/premiere deuxieme/second/seconde troisieme quatrieme cinquieme sixieme",
        contrasts: "nord sud est ouest\nfils fille\npere mere\nfrere soeur\navant apres\ngagne perd\nremporte perd\n\
            gauche droite\nhaut bas\nplus moins\ninterieur exterieur\namont aval\nsuperieur inferieur\nsuperieure \
            inferieure\naugmente diminue\naugmentation diminution\nouvert ferme\nouverte fermee\nhommes femmes\n\
            homme femme\nroi reine",
        pronouns: "il elle ils elles",
        denials: "sans echoue echoua refuse refusa",
        opposites: "",
        groups: "",
        authorities: "",
    },
    Source {
        code: "es",
        function: "el la los las lo un una unos unas este esta estos estas ese esa el ella ellos ellas su sus se le les y \
            e o u pero que quien cual cuando como donde tambien muy mas menos cerca casi ya aun solo unos aproximadamente \
            alrededor asi entonces al del",
        prepositions: "a ante bajo con contra de desde durante en entre hacia hasta para por segun sin sobre tras",
        verbs: "es son era eran fue fueron sera ha han habia tiene tienen tenia tuvo puede debe esta estaba estuvo \
            contiene incluye gano perdio jugo juega vivio murio nacio llego hizo pertenece cuenta ocupa",
        negations: "no nunca jamas ningun ninguna nada",
        calendar: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes \
            miercoles jueves viernes sabado domingo",
        numbers: "dos tres cuatro cinco seis siete ocho nueve diez once doce",
        once: "",
        tens: "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
        powers: "cien/ciento mil millon/millones",
        ordinals: "primer/primero/primera segundo/segunda tercer/tercero/tercera cuarto/cuarta quinto/quinta",
        contrasts: "norte sur este oeste\nhijo hija\npadre madre\nhermano hermana\nantes despues\ngano perdio\nizquierda \
            derecha\nmayor menor\ndentro fuera\nsuperior inferior\naumento disminuyo\nabierto cerrado\nabierta cerrada\n\
            hombres mujeres\nhombre mujer\nrey reina",
        pronouns: "el ella ellos ellas",
        denials: "sin fracaso rechazo",
        opposites: "",
        groups: "",
        authorities: "",
    },
    Source {
        code: "it",
        function: "il lo la i gli le l un uno una questo questa questi queste egli ella esso essa essi si suo sua suoi sue \
            loro d c e ed o ma che chi cui quando come dove anche molto piu meno circa quasi gia ancora solo cosi",
        prepositions: "a ad al allo alla ai agli alle di del dello della dei degli delle da dal dalla in nel nella nei \
            all dell nell sull dall con su sul sulla per tra fra durante dopo prima secondo contro",
        verbs: "e sono era erano fu furono sara ha hanno aveva avevano ebbe puo deve contiene comprende vinse perse \
            gioca gioco visse mori nacque divenne appartiene conta trova",
        negations: "non mai nessun nessuna niente",
        calendar: "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre lunedi \
            martedi mercoledi giovedi venerdi sabato domenica",
        numbers: "due tre quattro cinque sei sette otto nove dieci undici dodici",
        once: "",
        tens: "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
        powers: "cento mila/mille milione/milioni miliardo/miliardi",
        ordinals: "primo/prima secondo/seconda terzo/terza quarto/quarta quinto/quinta",
        contrasts: "nord sud est ovest\nfiglio figlia\npadre madre\nfratello sorella\nprima dopo\nvinse perse\nsinistra \
            destra\nmaggiore minore",
        pronouns: "egli ella esso essa essi",
        denials: "senza rifiuto",
        opposites: "",
        groups: "",
        authorities: "",
    },
    Source {
        code: "nl",
        function: "de het een deze dit die dat hij zij ze wij we hun haar zijn en of maar want dus als toen ook nog al \
            alleen zeer meer ongeveer circa bijna daar hier waar welke zich er dan",
        prepositions: "in op aan bij van voor met naar uit over onder door tegen zonder om tot sinds tijdens tussen \
            volgens na",
        verbs: "is was waren wordt worden werd werden heeft hebben had hadden kan kon moet moest ligt lag behoort \
            bestaat won verloor speelde speelt leefde woont overleed telt telde begon kreeg",
        negations: "niet geen nooit",
        calendar: "januari februari maart april mei juni juli augustus september oktober november december maandag \
            dinsdag woensdag donderdag vrijdag zaterdag zondag",
        numbers: "twee drie vier vijf zes zeven acht negen tien elf twaalf",
        once: "",
        tens: "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
        powers: "honderd duizend miljoen miljard",
        ordinals: "eerste tweede derde vierde vijfde zesde",
        contrasts: "noorden zuiden oosten westen\nnoordelijk zuidelijk oostelijk westelijk\nzoon dochter\nvader moeder\n\
            broer zus\nvoor na\nwon verloor\nlinks rechts",
        pronouns: "hij zij ze",
        denials: "zonder weigerde",
        opposites: "",
        groups: "",
        authorities: "",
    },
];
