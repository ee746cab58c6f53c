"""Words that carry no content in each language: what tells a language, and what a query does not ask for.

Data, in common spelling. Compiled for short statements and questions, from the closed classes that grammars list:
articles, pronouns, prepositions, conjunctions, auxiliaries, negations and question words. A word that is also an
ordinary noun or verb of its language is left out where that is not among the commonest meanings.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from memgit.index.languages.folding import fold

FUNCTION_WORDS: dict[str, str] = {
    "de": """
    aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bis da dabei damit dann das
    dass dein dem den denn der des desto deshalb die dies diese diesem diesen dieser dieses doch dort du durch ein
    eine einem einen einer eines einige er erst es etwa etwas euer für gegen gibt hat hatte hatten hab habe haben hier
    hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes kann kein
    keine keinem keinen keiner können könnte mein mehr mit muss müssen nach nachdem neben nicht nichts nie noch nun
    nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so sobald solange soll sollen
    sollte sonst sowie über um und uns unser unsere unserem unseren unserer unter vom von vor wann war waren warum was
    wegen weil welche welchem welchen welcher welches wem wen wenn wer werde werden wie wieder wieso will wir wird wo
    wodurch wofür wohin womit worden wurde wurden würde zu zum zur zwischen
    """,
    "fr": """
    ai ainsi alors après au aucun aucune auquel aussi autour autre autres aux avant avec avez avoir avons car ce ceci
    cela celle celles celui ces cet cette ceux chaque chez comme comment contre dans de depuis des dès donc dont du
    elle elles en encore entre est et était étaient être eux fait font il ils je la laquelle le lequel les lesquels
    leur leurs lors lorsque lui là ma mais me même mes moi moins mon ne ni nos notre nous on ont ou où par parce pas
    pendant peu peut peuvent plus plusieurs pour pourquoi puis qu jusqu lorsqu puisqu quand que quel quelle quelles
    quels quelque qui quoi sa sans se selon sera seront ses si soit son sont sous sur ta tes toi ton toujours tous
    tout toute toutes très tu un une vers voir vos votre vous à été
    """,
    "es": """
    a al algo algún alguna algunas algunos ante antes aquel aquella así aún aunque bajo cada casi como cómo con contra
    cual cuál cuales cuáles cuando cuándo cuánto cuántos de debe deben del desde después donde dónde dos durante e el
    él ella ellas ellos en entre era eran es esa esas ese eso esos esta está estaba estamos están estas este esto
    estos estoy fue fueron ha había habían hace hacia han hasta hay he hemos la las le les lo los más me mediante mi
    mientras mis mucho muy nada nadie ni ningún ninguna ningunos no nos nosotros nuestra nuestras nuestro nuestros o
    otra otras otro otros para pero poco por porque pues puede pueden qué que quien quién quienes se según ser será
    serán si sí sido sin sino sobre son su sus también tampoco tan te tiene tienen toda todas todo todos tras tu tus
    un una unas uno unos usted ya y yo
    """,
    "it": """
    a abbiamo agli ai al alla alle allo altra altre altri altro anche ancora avere che chi ci ciascun come con contro
    cosa così cui da dagli dai dal dall dalla dalle dallo degli dei del dell della delle dello dentro deve devono di
    dopo dove dunque durante è e ed era erano essere fa fino fra già gli ha hanno ho i il in invece io l la le lei lo
    loro lui ma mai me mentre mi mia mie miei mio molto ne né negli nei nel nell nella nelle nello nessun nessuna
    nessuno noi non nostra nostre nostri nostro o ogni ognuno oppure per perché perciò più poi prima può possono
    proprio qual quale quali quando quanta quanti quanto quella quelle quelli quello questa queste questi questo qui
    se sei senza si sia siamo solo sono sopra sotto sta stata state stati stato su sua sue sugli sui sul sulla sulle
    suo suoi tra troppo tu tutta tutte tutti tutto un una uno vengono verso viene vi voi
    """,
    "pt": """
    a ao aos apenas após aquela aquelas aquele aqueles aquilo as às até cada com como da das de dela delas dele deles
    depois desde dessa desse desta deste deve devem do dos durante e é ela elas ele eles em enquanto entre era eram
    essa essas esse esses esta está estamos estão estas estava este estes eu foi foram há isso isto já lhe lhes lo
    mais mas me mesmo meu meus minha minhas muito muitos na nas não nem nenhum nenhuma no nos nós nossa nossas nosso
    nossos num numa o onde os ou outra outras outro outros para pela pelas pelo pelos pode podem por porque pôr porquê
    qual quais quando quanto quantos que quê quem são se seja sem sempre ser será serão seu seus sido só sobre sua
    suas também tão te tem têm temos tinha toda todas todo todos tu um uma umas uns você vocês vai vão à
    """,
    "nl": """
    aan achter al alle alleen als altijd andere bij binnen dan dat de deze die dit doen door dus een één eens elk elke
    en er geen geweest had hadden heb hebben heeft hem hen het hier hij hoe hun iemand iets ik in is je jij jullie kan
    kunnen maar mag me meer men met mijn moet moeten na naar niet niets nog nooit nu of om omdat onder ons onze ook op
    over per sinds te tegen tijdens toch toen tot tussen uit uw van vanaf veel voor voordat waar waarom wanneer was
    wat we wel welk welke werd werden wie wij wil worden wordt zal ze zelf zich zij zijn zo zoals zonder zou zouden
    """,
    "sv": """
    all alla allt annan annat att av bara blev bli blir de dem den denna deras dess dessa det detta dig din dina du
    där därför efter eftersom eller en ett från för före genom ha hade han hans har hela hennes hon honom hur här i
    icke ifrån igen in inga ingen inget inte inom ja jag kan kommer kunde man med medan mellan men mer mig min mina
    mot mycket måste nej ni nu när någon något några och om oss på redan sedan ska skall skulle som samma sig sin sina
    så tills till under upp ur ut utan utanför vad var vara varandra vare varför varje vem vi vid vilka vilken vilket
    våra vår vårt än är åt över
    """,
    "da": """
    af al alle alt altid anden andet at bare blev blevet bliver da de dem den denne der deres det dette dig din disse
    du efter eller en end er et flere for fordi fra få før gennem ham han hans har havde have hele hende her hos hun
    hvad hver hvert hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke imellem ind ingen intet jeg kan
    kun kunne lige man med meget mellem men mens mere mig min mod må nogen noget nogle nu når og også om op os over på
    samme siden sig sin skal skulle som sådan til ud uden under var ved vi vil ville vores være været
    """,
    "no": """
    alle alt alltid andre at av bare ble blei blir bli da de deg dem den denne der deres det dette din disse du eller
    en enn er et ett etter fordi for fra før få gjennom ha hadde han hans har hele her hun hva hver hvert hvilke
    hvilken hvilket hvis hvor hvordan hvorfor i ikke ingen inn jeg kan kun kunne man med meg meget mellom men mens mer
    min mot mye må når noe noen nå og også om opp oss over på samme seg siden sin skal skulle som så til ut uten under
    var ved vi vil ville vår våre være vært
    """,
    "fi": """
    aina aivan ei eivät eli ellei emme en enää ennen ennemmin että hän he heidän hänen ilman itse ja jo jos joka
    jokainen joku jolla jonka jos jossa jota jotka jälkeen kaikki kaiken kanssa kautta keskellä keskuudessa kesken
    kohti koko koska kuin kuinka kuka kun kunnes kuten kuluttua lisäksi me meidän mihin mikä miksi milloin mikään
    minkä minä missä mistä mitä mitään molemmat mutta mukaan muu muut myös ne niiden niin nyt näiden nämä ole olemme
    oli olivat olla on ovat paitsi pitää saa se sekä sen siellä sillä sinä sitten siitä tai te teidän tämä tämän tässä
    tähän vaan vai vaikka vain varten vielä voi voidaan voivat yli
    """,
    "hu": """
    a abban ahhoz ahol ahogy aki akik akkor által általában alatt amely amelyek amíg ami amikor annak arra az azért
    azok azon azt aztán azután azzal bár be belül csak de e ebben egy egyes egyik egyéb el ellen én és ennek erre ez
    ezek ezért ezt ezzel fel felé hanem ha hogy hogyan honnan hol hova ide igen így ill illetve is itt jól kell
    kellett ki kívül kik között közül le legyen lehet lesz lett ma maga majd meg még mely melyek melyik mert mi miatt
    mikor minden mindig mint mit miért míg most már ne nekem nem nélkül néha nincs ő ők oda olyan ott össze pedig s
    sem semmi sok során szerint számára tehát tovább és úgy után utána vagy vagyok van vannak vele volt volna voltak
    """,
    "ro": """
    a acea aceasta această aceea acei acel acela acele acest acesta aceste acestea acești ai aia al ale alt alta altă
    alte am ar are aș așa asta astfel asupra atunci au avea avem aveți ca că când care cât câte căci către ce cel cele
    cei cine cineva cu cui cum dacă dar de deci decât deja deoarece deși despre din dintre după e ea ei el ele era
    erau este eu fără face fi fie fiecare fiind fost iar în înainte încă între îi îl îmi își îți la le li lor lui mai
    mea mult multe mulți ne nici nimic niciun nicio noastră noastre nostru noi nu numai o odată or ori orice pe pentru
    peste poate prea prin până să sa sale sau se sub sunt sus și său săi tot toate toți trebuie tu un una unde unei
    unele unor unui unul va vom vor voi vreo
    """,
    "pl": """
    a aby albo ale ani bez bo bowiem być był była było były będą będzie chociaż co coś czego czemu czy czyli dla
    dlaczego do dopiero gdy gdyby gdzie i ich ile im inny innych innym innej inne iż ja jak jaka jaki jakie jako je
    jego jej jednak jest jestem jeszcze jeśli jeżeli już każda każde każdego każdej każdy każdym kiedy kto kogo która
    którą które którego której który których którym którzy ku lecz lub ma mają mamy mi między mnie mogą może można mój
    mu my na nad nam nas nasz nasza nasze naszego niż nic nich nie niech niego nigdy nim o od on ona one oni oraz pod
    podczas po ponad poza ponieważ poprzez przed przede przez przy są się sam skąd skoro swoje ta tak także tam te
    tego tej ten to tobie tu tutaj twój tych tylko tym u w wam was we według więc wszyscy wszystkich wszystkie
    wszystko z za zawsze ze że żaden żadna żadne żadnego żeby
    """,
    "cs": """
    a aby ale ani asi až bez bude budou by byl byla byli bylo být což co či další do ho i ihned já jak jaká jaké jaký
    jako je jeho jej její jejich jen jenž jestli ještě ji jiná jiného jiné jiný jsem jsme jsou k kam každá každé
    každou každého každý každých kde kdo kdy když kolik kromě která které kterou který kterého kterých která ku kvůli
    má mají máme mezi mi mimo mít může mohou musí my na nad nám námi náš naše našeho ne nebo nebyl nebyla nechť než
    nic nich není o od on ona oni ono pak po pod podle pokud po pouze pro proč proto protože před přes při s se si
    svůj sám ta tak také takže tam tato te tedy ten tento této toho tom tomto tomu toto tu tuto ty tyto u už v vám vás
    váš ve více však vše všech všechno všechny vy z za zda zde že
    """,
    "tr": """
    acaba ama ancak arada artık aslında ayrıca bana bazı belki ben beri bile bir biraz biri birkaç biz bizim bu buna
    bunda bundan bunlar bunu bunun burada çok çünkü da daha de değil diye dolayı eğer en fakat gibi göre hangi hangisi
    hala hem hep hepsi her herhangi herkes hiç hiçbir için ile ilgili ise işte kadar karşı kendi kez ki kim kimse kısa
    mı mi mu mü nasıl nasil ne neden nedir nerede nereye niçin niye o olan olarak oldu olduğu olması olmak olmaz olsa
    olur ona ondan onlar onların onu onun orada önce öyle rağmen sadece sana sen siz sonra sonunda şey şimdi şu şunu
    tarafından tek tüm üzere üzerinde var ve veya ya yalnız yani yapılan yerine yok yoksa zaman zaten
    """,
    "ru": """
    а без более бы был была были было быть в вам вас весь во вот все всё всегда всего всех вы где да даже для до его
    ее её если есть еще ещё же за зачем здесь и из или им их к каждая каждого каждой каждую каждые каждый как какая
    какие какой когда кого который которая которое которые которых кроме кто куда ли лишь между меня мне можно может
    мой мы на над надо нам нас наш наша наше наши не него нее нельзя нет ни никогда них ничего но ну о об однако он
    она они оно от откуда очень перед по под после потому почему при про с сам свой себя сейчас сколько со так также
    такой там то тобой тогда того тоже только том ты тут у уже чего чем через что чтобы эта эти это этого этой этом
    этот я
    """,
    "uk": """
    а або але без би був була були було бути в вам вас ваш весь від він вона вони воно все всі де для до дуже є жодна
    жоден з за завжди зараз зі й його її їй їх і із інша іншої іншого іншому інший кожен кожна кожне кожні кожного
    коли крім куди ли лише між мене мені ми може можна мій на навіть над нам нас наш наша наше не нема немає неї ні
    ніколи них нічого однак о під після по про при саме свій себе скільки також так там те ти тільки то тобто той тоді
    того тому ту тут у цей ця це ці цього цьому чи чого чому через чим що щоб щодо я як яка яке який які якого якщо
    """,
    "el": """
    από αυτά αυτές αυτή αυτό αυτός αλλά αν άλλη άλλο άλλος απ για δεν δε εάν εδώ είναι είχε είχαν εκεί εκτός ενώ ένα
    ένας επί έχει έχουν εμείς εγώ ή η ήταν θα κάθε και κάτι κατά με μετά μέχρι μας μη μην μια μία μόνο μου να ο οι όλα
    όλες όλη όλοι όμως όπου όπως όταν ότι πάνω παρά περί πια πιο ποια ποιο ποιος ποιοι πόσο πόσα πότε ποτέ που πού
    πρέπει πριν προς πώς σαν σας σε στα στη στην στις στο στον στους στον τα της τη την τι τις το τον τότε του τους
    των υπό χωρίς ως ώστε
    """,
    "ar": """
    في من إلى على عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى أين كيف لماذا كم هل لا لم لن ليس ليست كان كانت
    يكون تكون قد كل كلا بعد قبل بين حتى ثم أو أم و إن أن إذا لأن لكن هو هي هم نحن أنا أنت عند عندما غير أي أية بعض
    جميع خلال دون منذ حول تحت فوق أمام كما لكي حيث سوف أخرى آخر بها به لها له فيها فيه منها منه عليها عليه
    """,
    "he": """
    של את על אל עם לא זה זו זאת הם הן הוא היא אני אנחנו אתה אתם כל כי אם או גם רק יש אין היה היתה היו יהיה מה מי מתי
    איפה איך למה כמה האם אשר בין אחרי לפני עד מן אך אבל כאשר כמו תחת ללא לפי
    """,
    "hi": """
    का के की को से में पर और है हैं था थी थे नहीं यह वह ये वे इस उस इन उन एक हो होता होती होते कर करना करता करते किया
    गया गई गए जाता जाती जाते जब तब तक कब कहाँ कौन क्या क्यों कैसे कितने लिए साथ बाद पहले हर भी तो ही या अगर लेकिन हम
    हमारे आप अपने कोई कुछ सभी जो ने
    """,
}

ASKING_WORDS = frozenset(
    """
    wer wem wen wessen wo wann warum wieso weshalb wie wieviel wohin woher welche welcher welches welchen qui quoi
    quand où pourquoi comment combien quel quelle quels quelles quién quiénes qué cuándo dónde cómo cuánto cuánta
    cuántos cuántas cuál cuáles chi cosa quando dove perché come quanto quanti quale quali quem onde porquê quantos
    quais wie waar wanneer waarom hoe hoeveel welk welke vem vad när var varför vilken vilket hur hvem hvad hvor
    hvornår hvorfor hvordan hvilken hva hvorfor når kuka mikä mitä missä milloin miksi kuinka ki mi mikor hol miért
    hogyan mennyi melyik cine unde când cum cât câte kto co gdzie kiedy dlaczego ile jak jaki który kdo kde kdy proč
    kolik jaký který kim ne nerede neden nasıl kaç hangi кто что где когда почему зачем как сколько какой какие хто що
    де коли чому скільки який ποιος πού πότε γιατί πώς πόσο πόσα من ماذا متى أين كيف لماذا كم هل מי מה מתי איפה איך
    למה כמה कौन क्या कब कहाँ क्यों कैसे
    """.split()  # noqa: SIM905 - a table of words reads better
)
"""A query that begins with one of them asks, whatever stands at its end; English has its own."""


def function_words(languages: Iterable[str]) -> frozenset[str]:
    """Return the folded function words of these languages; English has its own, which analysis leaves out anyway."""
    return frozenset().union(*(folded_words(language) for language in languages))


@lru_cache(maxsize=64)
def folded_words(language: str) -> frozenset[str]:
    """Return the function words of a language without their accents."""
    return frozenset(fold(word).casefold() for word in FUNCTION_WORDS.get(language, "").split())
