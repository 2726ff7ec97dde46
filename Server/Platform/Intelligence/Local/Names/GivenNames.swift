/// Which words are given names.
enum GivenNames {
    static let all = Words.set(list).union(ambiguous)

    /// Given names that are also everyday words, months or places. They count as names only where the sentence shows it.
    static let ambiguous = months.union(placeNames).union(verbs).union(
        Words.set(
            """
            rose faith joy grace summer dawn sky skye penny iris ivy art clay ruby pearl amber violet lily daisy heather jasmine olive hazel
            holly poppy fern willow basil sage ginger rosemary autumn winter star angel melody harmony carol robin wren dove buddy hunter
            mason carter cooper taylor porter baker page paige reed reid dale glen cliff heath brook forest lane guy earl duke king prince
            dean major ray rusty sandy misty stormy crystal gem jewel opal coral sterling miles lance colt rocky stone flint ace harp harper
            dusty piper destiny liberty justice patience prudence charity constance mercy blessing genesis trinity heaven christian israel
            lincoln case cash cherry candy honey bunny kitty birdie bee wolf fox don dolly jean kit polly rowan ash holland ireland noel
            lucky merry sherry brandy martini royce jade ebony ivory scarlett scarlet indigo rusty early vera viola gale rain nova luna sol
            aurora eve kind dear bella sunny dot star patience baba lulu nana charm gus lou kim max bear kitten river ocean rio bay cove alma
            marina stella mercedes alexis allegra bliss cosmo felix leo virgo aries orion atlas echo hero legend maverick major royal saint
            chip tom tommy roger rick dick willy randy minnie jock peg barb rory wayne levi tad dee gay ernest curt miller potter fisher
            archer sailor tanner fletcher parker cook chandler marshall bishop pope page knight monk berry clover lark raven robin finch
            """))

    /// Names that are also verbs, modals or adjectives: "Will is here" shows a name, "Hope is" does not.
    static let verbs = Words.set(
        "will mark bill jack frank rich chuck drew grant chase pat rob nick skip buck rod hope pierce sue trace trip wade")

    static let months = Words.set("may june april august")

    /// Names that are also well-known places.
    static let placeNames = Words.set(
        """
        paris jordan florence victoria santiago sydney vienna charlotte georgia virginia carolina dakota savannah austin houston dallas
        phoenix madison jackson chelsea brooklyn orlando diego francisco india asia china kenya africa chad london siena sienna verona milan
        lorraine valencia adelaide alexandria israel ireland holland cuba troy bristol chester lourdes salvador trinidad kingston camden
        """)
}
