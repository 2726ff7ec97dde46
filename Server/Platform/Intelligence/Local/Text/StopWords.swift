/// English words that say little by themselves.
package enum StopWords {
    package static let all = Words.set(
        """
        a about above after again against ago all almost along already also although always am among an and another any anybody anyone
        anything are aren't around as ask asked at away back be became because been before being below between both but by came can can't
        cannot come comes could couldn't did didn't do does doesn't doing don't done down during each either else even ever every everybody
        everyone everything few for from gave get gets getting give given go goes going gone got had hadn't happen happened has hasn't have
        haven't having he he'd he'll he's her here hers herself him himself his how however i i'd i'll i'm i've if in into is isn't it it's
        its itself just keep kept kind knew know known last least less let let's like little look looked lot made make makes many maybe me
        mean might mine more most much must my myself near need never next no nobody none nor not nothing now of off often oh ok okay on once
        one only onto or other others our ours ourselves out over own people per perhaps please put quite rather really said same saw say
        says see seem seemed seen she she'd she'll she's should shouldn't since so some somebody someone something sometimes soon still such
        take taken tell than that that's the their theirs them themselves then there there's these they they're they've thing things think
        this those though thought through time times to today together told too took toward under until up upon us use used very want wanted
        wants was wasn't way we we'd we'll we're we've well went were weren't what what's when where where's whether which while who who's
        whole whom whose why will with within without won't would wouldn't yeah yes yet you you're you've your yours yourself
        """)
}
