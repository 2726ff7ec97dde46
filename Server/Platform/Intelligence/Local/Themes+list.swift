extension Themes {
    /// Words in lower case and in their base form; `_` joins two words that count only together. A word with `~` is a hint: it takes two
    /// hints to make a theme.
    static let list: [(theme: String, words: String)] = [
        (
            "family",
            """
            family mother mom mum mama mommy father dad daddy papa parent sister brother sibling grandma grandmother granny grandpa grandfather
            grandparent aunt uncle cousin niece nephew nan nonna nonno stepmother stepfather in-laws son~ daughter~
            """
        ),
        (
            "friends",
            """
            friend friendship buddy roommate bestie catch_up hung_out hang_out caught_up came_over old_friend ran_into party~ together~
            with_me~ taught_me~ helped_me~ laughed~ evening~ we_laughed
            """
        ),
        (
            "love",
            """
            love~ romance boyfriend girlfriend husband wife fiancé fiancée kiss kissed proposed engaged engagement valentine
            my_love anniversary marry married held_my in_love love_you i_love~ wake_up~ next_to~ partner favorite_person favourite_person
            """
        ),
        (
            "children",
            """
            child children kid kids baby toddler newborn kindergarten nursery playground diaper bedtime_story tooth_fairy first_steps
            first_tooth first_word full_sentence first_day~ daughter~ son~
            """
        ),
        ("pets", "dog puppy cat kitten pet vet parrot hamster rabbit pony horse guinea_pig goldfish leash litter_box"),
        (
            "work",
            """
            job office boss colleague coworker project deadline client customer contract interview promotion promoted standup salary
            presentation sprint team_meeting trade_fair conference funding startup meeting~ meetings work~ at_work working~ report report_be
            launch migration~ shift~ server~ build~ grant~ budget~ team~ design_team factory overtime
            """
        ),
        (
            "school",
            """
            school university college lecture exam homework teacher professor student essay semester studying study classroom lesson
            graduation graduated thesis scholarship chemistry math class~ library~ advisor~ chapter~
            """
        ),
        (
            "money",
            "money budget~ rent mortgage loan debt tax savings invoice penny euros dollars price~ bill~ paid~ broke~ bank~ "
        ),
        (
            "home",
            """
            apartment renovation furniture landlord laundry hallway bedroom bathroom dishwasher tyre house~ home~ flat~ roof~
            wall~ kitchen~ paint~ balcony~ moved_in new_place window~ clean~ cleaning
            """
        ),
        (
            "garden",
            "garden gardening tulip hydrangea plant planted seed tomato compost lawn hedge bulb weeds pond~ lily~ flower yellow_one rose~ ivy~ iris~"
        ),
        (
            "food",
            """
            breakfast lunch dinner supper brunch coffee~ coffee_shop tea cake~ bread soup pizza pasta lasagna dumpling ravioli salad cook cooked
            baked~ baking~ recipe restaurant barbecue grilled meal toast biryani curry sandwich chocolate wine beer cheese dessert pancake
            delicious ate eat fish~ tasted food kitchen~ cinnamon~ banana~
            """
        ),
        (
            "health",
            """
            health doctor hospital nurse surgery headache sick illness medicine pill fever flu knee clinic therapy therapist dentist vaccine
            healthy injury allergy migraine pregnant pain~ blood~ cold~ hurt~ weeks~
            """
        ),
        (
            "sport",
            """
            sport marathon football soccer basketball tennis swimming gym yoga climbed climbing cycled cycling workout ski surf golf volleyball
            scored~ match~ run~ running~ swam swim~ bike~ training~ team~ goal~ second_half half~ metres~ hike
            """
        ),
        (
            "music",
            "music song singing sang~ sing~ guitar piano violin drum concert band choir album melody playlist orchestra jazz solo encore radio~ carol~"
        ),
        ("film", "film~ movie cinema netflix documentary actor trailer episode tv_show film_festival series~"),
        ("reading", "book_club novel bookshop bookstore poem poetry book read~ reads~ chapter~ volume magazine author "),
        (
            "art",
            "art~ painting painter museum gallery drawing drew~ sketch sculpture pottery exhibition uffizi modern_art clay~ fridge~ paint~"
        ),
        ("games", "game board_game chess cards~ puzzle video_game dice monopoly poker lego level~ "),
        (
            "technology",
            """
            computer laptop phone~ app software printer wifi website download robot keyboard smartphone tablet server~ update~ upload~ camera~
            internet code~ bug~
            """
        ),
        (
            "nature",
            """
            nature forest tree river mountain heron frog waterfall sunset sunrise meadow wildlife deer valley woods moon~ sun_go lake~ sea~
            ocean~ beach~ bird stars~ dawn~ hill~ desert~
            """
        ),
        (
            "weather",
            "weather rain rainy rainiest raining snow~ snowing snowed storm windy sunny heat~ degrees~ thunder lightning hail fog forecast rained cloudy"
        ),
        (
            "travel",
            """
            travel trip plane flight airport hotel passport vacation holiday journey tour~ tourist suitcase backpack border embassy road_trip
            hostel visa abroad landed train~ station~ bus~ two_hours~ drove~ coast~ crossed~ late~ days_in last_bus missed_the~ packing
            tour_guide ferry
            """
        ),
        (
            "shopping",
            "shopping store mall bought sale~ discount secondhand dress jacket coat shoes supermarket shops market~ shop~ price~ "
        ),
        (
            "celebration",
            """
            celebrate celebration birthday fireworks christmas new_year easter carnival thanksgiving halloween party~ wedding~
            anniversary~ turned_thirty turned~ festival~ cake~ december~
            """
        ),
        (
            "faith",
            """
            church prayer pray mosque temple synagogue cathedral bible quran sermon priest imam rabbi ramadan grace_before
            said_grace faith~ god~ choir~ candle~ candles~ christian~ festival~
            """
        ),
        (
            "loss",
            """
            funeral buried grief mourning grave passed_away miss_him miss_her cemetery died~ death~ since_dad dad_died mom_died
             without~ goodbye lit_a~ candle~
            """
        ),
        ("sleep", "slept asleep nap insomnia dream~ nightmare snore sleep fall_asleep woke_up~ three_hours~ bed~"),
    ]
}
