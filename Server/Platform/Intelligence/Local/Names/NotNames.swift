/// Capitalised words that are not names of people: days, months, holidays, peoples and languages, and words that often begin a sentence.
enum NotNames {
    static let all = Words.set(
        """
        monday tuesday wednesday thursday friday saturday sunday january february march july september october november december today
        tomorrow yesterday christmas easter ramadan eid hanukkah diwali thanksgiving halloween god jesus allah lord bible quran internet
        wifi tv english french german spanish italian portuguese dutch polish russian chinese japanese korean turkish arabic hindi american
        british european african asian indian irish scottish welsh swedish norwegian danish finnish greek mexican canadian australian
        muslim jewish buddhist hindu catholic mum mom mama mummy mommy dad daddy papa grandma grandpa granny grandmother grandfather nan
        aunt uncle nonna nonno doctor professor mr mrs ms miss dr prof sir madam i i'm i've i'd i'll ok okay google apple amazon netflix
        youtube instagram facebook whatsapp zoom teams spotify tesla microsoft android iphone windows north south east west europe africa
        asia america street avenue road square station airport university hospital hotel park river lake mount saint st new old great
        """)
}
