/// What the words around a word say about whether it is a person's name.
struct Evidence {
    private let words: [Words.Word]
    private let index: Int
    private let isLowerCase: Bool

    init(_ words: Words, _ index: Int) {
        self.words = words.all
        self.index = index
        isLowerCase = words.isLowerCase
    }

    private var word: Words.Word { words[index] }
    /// The word before in the same sentence, without a mark between.
    private var before: String? { index > 0 && !word.followsMark && !word.startsSentence ? words[index - 1].plain : nil }
    private var next: Words.Word? {
        guard index + 1 < words.count, !word.isPossessive else { return nil }
        let next = words[index + 1]
        return next.followsMark || next.startsSentence ? nil : next
    }

    /// "Dr. Okafor", "aunt Rose".
    var followsTitle: Bool { before.map { Self.titles.contains($0) } ?? false }

    /// "in Paris", "Victoria Falls", "Christian festival".
    var isPlace: Bool {
        if let next, Self.placeNouns.contains(next.plain) { return true }
        guard let before, Self.placePrepositions.contains(before) else { return false }
        return Places.isKnown(word.plain) || GivenNames.placeNames.contains(word.plain)
    }

    /// "with Tuấn", "Kofi played", "Kofi and I".
    var treatsAsPerson: Bool {
        if let before, Self.personPrefixes.contains(before) { return !isPlace }
        return isActor
    }

    /// Whether a word that may be a name or another word is a name in this sentence.
    var showsName: Bool {
        if followsTitle { return true }
        if isPlace || isMonth { return false }
        if isLowerCase { return strongly }
        guard word.isCapitalised else { return false }
        if !word.startsSentence {
            // In the middle of a sentence, only names, months, places and adjectives of peoples have a capital letter.
            let isOther =
                GivenNames.months.contains(word.plain) || Self.adjectives.contains(word.plain) || Places.isKnown(word.plain)
            guard isOther else { return true }
            return treatsAsPerson || word.isPossessive || joinsName
        }
        return isActor || joinsName || word.isPossessive && !GivenNames.months.contains(word.plain)
            || word.isPossessive && ownsBody
    }

    /// The same as `showsName`, but decided without capital letters.
    var strongly: Bool {
        if followsTitle { return true }
        if isPlace || isMonth { return false }
        if let before, Self.strongPrefixes.contains(before), let next, StopWords.all.contains(next.plain) || Self.isDone(next.plain) {
            return true
        }
        return next.map { Self.speaking.contains($0.plain) } ?? false
    }

    private var isMonth: Bool {
        guard GivenNames.months.contains(word.plain) else { return false }
        if let before, Self.monthPrefixes.contains(before) { return true }
        guard let next else { return false }
        return next.plain.first?.isNumber == true || Self.afterMonths.contains(next.plain)
    }

    /// Whether the word does something that people do: "Will beat me", "Sky asked", "Rich and I".
    private var isActor: Bool {
        guard let next else { return false }
        if next.plain == "and", index + 2 < words.count, Self.companions.contains(words[index + 2].plain) { return true }
        if GivenNames.verbs.contains(word.plain) {
            // "Will the report be done?", "Hope you're well", "Mark it".
            if Self.objects.contains(next.plain) || next.isCapitalised { return false }
            if ["is", "was", "has", "had", "isn't", "wasn't"].contains(next.plain) { return word.plain != "hope" }
            if word.plain == "will", index + 1 < words.count, !StopWords.all.contains(next.plain) { return true }
        }
        if ["has", "had"].contains(next.plain) { return !Self.adjectives.contains(word.plain) && !GivenNames.months.contains(word.plain) }
        return Self.isDone(next.plain)
    }

    /// "Nan and Joy", "Emily, Jake": next to a word that is certainly a name.
    private var joinsName: Bool {
        func isName(_ at: Int) -> Bool {
            guard words.indices.contains(at) else { return false }
            let plain = words[at].plain
            return words[at].isCapitalised && GivenNames.all.contains(plain) && !GivenNames.ambiguous.contains(plain)
        }
        func isAnd(_ at: Int) -> Bool { words.indices.contains(at) && ["and", "or", "&"].contains(words[at].plain) }
        return isAnd(index + 1) && isName(index + 2) || isAnd(index - 1) && isName(index - 2)
    }

    /// Whether the word owns something that only a person has: "April's surgery".
    private var ownsBody: Bool {
        guard word.isPossessive, index + 1 < words.count else { return false }
        return Self.belongings.contains(words[index + 1].plain)
    }

    /// Whether the word is a verb in the past or in the third person.
    private static func isDone(_ word: String) -> Bool {
        if done.contains(word) || speaking.contains(word) { return true }
        if word.hasSuffix("ed"), word.count > 4, !notDone.contains(word) { return true }
        guard word.hasSuffix("s") else { return false }
        return bases.contains(String(word.dropLast())) || word.hasSuffix("es") && bases.contains(String(word.dropLast(2)))
    }

    // MARK: Words

    private static let titles = Words.set(
        """
        mr mrs ms miss dr doctor prof professor aunt auntie uncle grandma grandpa granny nonna nonno sister brother cousin sir coach captain
        father mother pastor rabbi imam nurse officer president chef judge neighbour neighbor nephew niece grandmother grandfather
        """)
    private static let placePrepositions = Words.set(
        "in to from near at into around through via towards toward across outside inside leaving reached visiting visited reaching for of")
    private static let placeNouns = Words.set(
        """
        falls street station square city airport university avenue road river lake county hospital hotel festival church school party
        holiday holidays morning evening night sky bush garden bed petals light
        """)
    private static let monthPrefixes = Words.set(
        """
        in of since until till by last next early late this every mid through during after before on around from end of the each
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 1st 2nd 3rd 4th 5th
        """)
    private static let afterMonths = Words.set("is was will heat rain sun weather morning evening")
    private static let personPrefixes = Words.set(
        """
        with met called told asked phoned texted visited saw hugged thanked helped invited taught miss missed kissed married buried love
        loved named sister brother friend colleague uncle aunt cousin daughter son wife husband boyfriend girlfriend neighbour boss advisor
        buddy partner and
        """)
    private static let strongPrefixes = Words.set("with met called told asked phoned texted thanked hugged and")
    private static let companions = Words.set("i me my he she we they his her their")
    private static let objects = Words.set(
        "the a an my your his her its our their this that these those you i he she it we they there to for of everything all so no not any")
    private static let adjectives = Words.set("christian israel holland early rich frank")
    private static let belongings = Words.set(
        "surgery birthday voice face hand hands eyes hair mother father mum mom dad sister brother house car dog cat room phone wedding")
    private static let speaking = Words.set(
        """
        said says told tells asked asks thinks thought called calls texted wrote writes replied answered explained explains laughed laughs
        smiled cried promised wants wanted knows knew believes hopes loves loved hates hated teaches taught
        """)
    private static let done = Words.set(
        """
        came brought beat began became bought built caught chose drew drank drove ate fell fed felt fought found flew forgot gave got grew
        had has heard held hid hit hurt kept knew led left lent lost made met paid put ran read rode rang rose sang sat saw sold sent shot
        showed shut slept spoke spent stood stole swam took threw understood woke won wore sings snores is was isn't wasn't can't won't
        doesn't didn't never always finally just also still already really even
        """
    ).subtracting(["is", "was", "isn't", "wasn't", "just", "also", "even", "rose"])
    private static let notDone = Words.set("indeed red bed need seed speed naked wicked sacred hundred kindred")
    private static let bases = Words.set(
        """
        say tell ask think bring come go get give make take see know want need look find feel leave call try keep let begin help show hear
        play run move live believe hold sit stand lose pay meet teach learn lead understand watch follow stop speak read spend grow open walk
        win teach remember love hate like cook bake paint sing dance swim drive fly sleep snore eat drink work study write draw buy sell send
        wait serve smile laugh cry sit stay reach kill remain suggest raise pass claim refuse insist promise keep collect organise organize
        imitate live miss hug kiss marry visit wear wake plan hope build fix
        """)
}
