/// The 10,000 most used passwords of at least 8 bytes, in lower case and in the order of their bytes.
///
/// From zxcvbn 4.5.0 (https://github.com/dwolfhub/zxcvbn-python), its frequency list `passwords`. MIT licence, copyright (c) 2012-2016 Dan
/// Wheeler and Dropbox, Inc., and (c) 2016 Daniel Wolf; the licence's text is in docs/licences/zxcvbn.txt.
extension CommonPasswords {
    static let list = """
        !qaz2wsx !qazxsw2 %%passwo .adgjmptw 0.0.0.000 0000000000d 0000000000o 00000001 00000007 00009999 000777fffa 00096462 00197400
        007james 00998877 01011900 01011910 01011950 01011960 01011961 01011970 01011971 01011972 01011973 01011974 01011975 01011976
        01011977 01011978 01011979 01011980 01011981 01011982 01011983 01011984 01011985 01011986 01011987 01011988 01011989 01011990
        01011991 01011992 01011993 01011994 01011995 01011999 01012000 01012001 01012010 01012011 01020304 0102030405 010203040506
        01021990 01031985 01031988 01031989 01041985 01041988 01061986 01061990 01071986 01081988m 01081989 01091987 01091989 01121986
        01121988 012345678910 013cpfza 0147258369 01478520 0147852369 01478963 0147896325 0192837465 01telemike01 02011971 02011975
        02011980 02011981 02011982 02011983 02011984 02011985 02011986 02011987 02011988 02011989 02021971 02021973 02021976 02021979
        02021981 02021982 02021983 02021984 02021985 02021986 02021987 02021988 02021989 02021990 02031970 02031973 02031974 02031975
        02031977 02031978 02031979 02031980 02031981 02031982 02031984 02031985 02031986 02031987 02031988 02031989 02041972 02041973
        02041974 02041975 02041976 02041977 02041978 02041979 02041980 02041981 02041982 02041983 02041984 02041985 02041986 02041987
        02041988 02041989 02051970 02051972 02051973 02051975 02051976 02051977 02051978 02051980 02051981 02051982 02051983 02051984
        02051985 02051986 02051987 02051988 02051989 02061971 02061972 02061974 02061976 02061977 02061980 02061982 02061983 02061984
        02061985 02061986 02061987 02061988 02061989 02071971 02071975 02071976 02071978 02071979 02071980 02071981 02071982 02071983
        02071984 02071986 02071987 02071988 02071989 02081970 02081973 02081974 02081976 02081977 02081980 02081982 02081983 02081984
        02081985 02081986 02081987 02081988 02081989 02091971 02091973 02091975 02091976 02091977 02091980 02091981 02091983 02091984
        02091985 02091986 02091987 02091989 02101973 02101976 02101977 02101979 02101981 02101983 02101984 02101985 02101986 02101987
        02101988 02101989 02551670 03031986 03041986 03041991 03082006 033028pw 04041988 04041991 04325956 04975756 05051985 05051987
        05051989 06061986 06225930 063dyjuy 07071977 07071987 07091990 0773417k 07831505 07931505 08031985 08031986 08051990 08081988
        08121986 08154711 08522580 085tzzqi 09051945 09080706 090808qwe 0987654321a 0987654321q 09877890 0cdh0v99ue 0o9i8u7y 0o9i8u7y6t
        0okm9ijn 0p9o8i7u 0raziel0 0sister0 10011986 10011990 100200300 10031988 10051987 10071987 100years 10101986 10101990 10111213
        10203040 102030405 1020304050 102030405060 10293847 1029384756 1029384756q 10inches 11001001 11051987 11051990 11061985 11081989
        11111111 1111111111zz 11111111a 11111118 1111111a 1111111q 111111aa 1111122222 11111aaaaa 11112222 11119999 1111aaaa 1111qqqq
        11121314 1112131415 11121986 11122233 111222333 111222333000 111222333a 111luzer 1122112211 11223300 11223311 11223344 112233445
        1122334455 112233445566 11223344q 11223355 112233aa 11235813 1123581321 11251422 11335577 1133557799 118a105b 11924704 11c645df
        11qq22ww 12011987 12021988 12031985 12031987 12051988 1211123a 12121985 12121990 12123434 12131415 1213141516 1223334444 12233445
        12312312 123123123a 123123123q 123123321 12312345 123123456 123123qq 123123qwe 123123qweqwe 1232323q 12332100 12332112 123321123
        12332145 123321456 123321456654 123321aa 123321az 123321qaz 123321qq 123321qw 123321qwe 123321qweewq 12340987 12341234q 12342000
        12343412 12344321 12344321a 12344321q 1234509876 12345123 123451234 1234512i 123452000 123452345 12345432 123454321 123455432
        1234554321 1234554321q 12345600 12345611 12345612 123456123 12345654321 123456654 123456654321 12345666 12345670 12345671 12345677
        12345678 123456780 123456781 123456782000 123456788 123456789 123456789. 1234567890 12345678900 12345678900987654321
        1234567890987654321 1234567890a 1234567890m 1234567890q 1234567890qaz 1234567890qw 1234567890qwe 1234567890qwerty 1234567890s
        1234567890w 1234567890z 1234567890zzz 1234567891 12345678910 123456789101 12345678912 123456789123 12345678987654321 1234567899
        123456789987654321 123456789a 123456789aa 123456789abc 123456789as 123456789b 123456789c 123456789d 123456789e 123456789f
        123456789g 123456789i 123456789k 123456789l 123456789m 123456789n 123456789o 123456789p 123456789q 123456789qaz 123456789qq
        123456789qqq 123456789qw 123456789qwe 123456789qwerty 123456789r 123456789s 123456789t 123456789v 123456789w 123456789x 123456789y
        123456789z 123456789zx 123456789zxc 12345678a 12345678c 12345678i 12345678m 12345678q 12345678qwe 12345678s 12345678w 12345678z
        12345679 123456798 1234567a 1234567aa 1234567b 1234567d 1234567k 1234567l 1234567m 1234567q 1234567qw 1234567qwertyu 1234567r
        1234567s 1234567t 1234567u 1234567v 1234567w 1234567z 12345687 12345689 12345698 123456987 12345699 123456aa 123456aaa 123456ab
        123456abc 123456as 123456asd 123456qaz 123456qq 123456qqq 123456qw 123456qwe 123456qwer 123456qwert 123456qwerty 123456ru 123456ss
        123456zx 123456zxc 123456zz 12345789 123459876 12345abc 12345abcd 12345abcde 12345asd 12345asdfg 12345qaz 12345qqq 12345qwe
        12345qwer 12345qwert 12345qwerty 12345rewq 12345trewq 12345zxc 12345zxcvb 12346789 12347890 12348765 12349876 1234abcd 1234asdf
        1234kekc 1234qwer 1234qwerasdf 1234qwerasdfzxcv 1234qwert 1234qwerty 1234rewq 1234rmvb 1234zxcv 12356789 123578951 123581321
        12365478 123654789 1236547890 123654987 12369874 123698741 123698745 1236987z 123789456 123abc123 123as123 123asd123 123boots1
        123hfjdk147 123lol123 123masha 123mudar 123qaz123 123qazwsx 123qq123 123qw123 123qwe12 123qwe123 123qwe321 123qwe456 123qwe456rty
        123qweas 123qweasd 123qweasdzx 123qweasdzxc 123qweqwe 123qwert 123qwerty 123zxc123 12435687 12457896 124578963 12481632 12e3e456
        12inches 12locked 12monkey 12qw12qw 12qw34er 12qw34er56ty 12qwaszx 12qwerty 12s3t4p55 13021990 13031987 13041987 13041988 13061986
        13121985 13243546 13245678 13245768 132465798 13324124 134679258 134679852 134kzbip 135135ab 13572468 13576479 1357908642 1357911q
        13579135 13579246 135792468 1357924680 135797531 135798642 1357997531 14021985 14021986 14061991 14071789 14111986 14142135
        14159265 142536789 14725836 147258369 1472583690 147258369a 14785236 147852369 14789632 147896321 147896325 14881488 14938685
        14vbqk9p 15011987 15021985 15051981 15051990 15101986 151nxjmt 15426378 154ugeiu 158uefas 159357258 159357456 15975300 159753123
        15975321 1597532486 159753258 159753456 159753456852 15975346 159753852 15975391 15987532 159875321 15s9pu03 16051987 16051989
        16121987 17011987 17051988 17061988 17071994a 17171717aa 172839456 17711771s 18011987 18061990 18091985 18121812 18254288 18273645
        18436572 18821221 19061987 19101987 19216801 19283746 192837465 19371ayj 19391945 19411945 1958proman 19719870 1972chev 19733791
        19755791 19844891 19851985p 19866891 1986irachka 19877891 19899891 19911992 19922991 19933991 19944991 19952009sa 19955991
        19966991 19977991 19992000 19mtpgam19 1a2a3a4a 1a2a3a4a5a 1a2b3c4d 1a2b3c4d5e 1a2s3d4f 1a2s3d4f5g 1a2s3d4f5g6h 1aaaaaaa 1abcdefg
        1arsenal 1asdfghj 1asshole 1assword 1basebal 1bastard 1bbbbbbb 1bigdadd 1bigdick 1brandon 1bulldog 1bullshi 1butthea 1ccccccc
        1charles 1charlie 1chelsea 1chicken 1compute 1corvett 1cowboys 1creativ 1cricket 1diamond 1dolphin 1drummer 1eeeeeee 1explore
        1ferrari 1fishing 1flowers 1footbal 1forever 1freedom 1fuckyou 1gateway 1grizzly 1heather 1herbier 1hxboqg2 1hxboqg2s 1j9e7f6f
        1jackson 1jeffrey 1jennife 1jessica 1jjjjjjj 1johnson 1ladybug 1letmein 1loveyou 1manager 1matthew 1melissa 1michael 1michell
        1million 1monster 1mustang 1packers 1panther 1pass1page 1passwor 1password 1patrick 1penguin 1phoenix 1porsche 1q2q3q4q 1q2q3q4q5q
        1q2w3e4r 1q2w3e4r5 1q2w3e4r5t 1q2w3e4r5t6y 1q3e5t7u 1qa2ws3e 1qa2ws3ed 1qa2ws3ed4rf 1qasw23ed 1qay2wsx 1qayxsw2 1qaz!qaz 1qaz2wsx
        1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qaz3edc 1qaz@wsx 1qazwsxedc 1qazxcvb 1qazxdr5 1qazxsw2 1qazxsw23edc 1qazxsw23edcvfr4 1qazzaq1
        1qw23er4 1qwerty1 1qwertyu 1qwertyuiop 1rainbow 1rangers 1richard 1rosebud 1s1h1e1f1 1samanth 1scooter 1sexyred 1simpson 1starwar
        1steeler 1sunshin 1superma 1thunder 1tiffany 1w2q3r4e 1w2w3w4w 1warrior 1wildcat 1william 1x2zkg8w 1xrg4kcq 1xxxxxxx 1z2x3c4v
        1z2x3c4v5b 1zxcvbnm 1zzzzzzz 20031987 2004-10- 20051988 20061988 20091988 20091991 20111986 201jedlz 20spanks 21011989 21031987
        21031988 21031990 21051988 21051991 21101986 21125150 2112rush 212121qaz 213qwe879 21436587 22011988 22021986 22021989 22031984
        22041987 22041988 22061941 22071986 221195ws 22221111 22223333 22334455 22446688 22q04w90e 23021986 23041987 23049307 2305822q
        23176djivanfros 23jordan 23skidoo 23wesdxc 24011985 24061986 24111989 243462536 245lufpq 24681012 24681357 246813579 248ujnfk
        24gordon 24pnz6kc 2502557i 25031987 25041988 25081988 25091987 25121987 25251325 254xtpss 25800852 25802580 26031988 26061987
        260zntpc 26429vadim 267ksyjf 27061988 27731828 28011987 28021990 28021992 28041987 287hf71h 28infern 29011985 29051989 29071983
        299792458 2b4dnvsx 2b8riedt 2bigtits 2bornot2 2bornot2b 2i5fdruv 2kash6zq 2letmein 2sexy2ho 2w3e4r5t 2wj2k9oj 2wsx1qaz 2wsx3edc
        2wsxcde3 2wsxzaq1 30031988 30041986 30051985 305pwzlr 30624700 31011987 311music 31217221027711 31415926 314159265 3141592654
        31415927 321456987 32165498 321654987 3216732167 321ret32 326159487 32615948worms 333222111 33334444 333666999 335533aa 33rjhjds
        343104ky 34523452 34524815 3611jcmg 36460341 368ejhih 36925814 369258147 369852147 36987412 369874125 37583867 380zliki 383pdjvl
        38972091 38gjgeuftd 3edc4rfv 3edcvfr4 3f3fpht7op 3rjs1la7qe 3stooges 3syqo15hil 3techsrl 3xbobobo 40028922 4077mash 413276191q
        41d8cd98f00b 42042042 427cobra 4294967296 42qwerty42 43046721 4311111q 43211234 4321rewq 44332211 44445555 44448888 444555666
        44556677 44magnum 4506802a 454dfmcq 456123789 45645645 456789123 45m2do5bs 46775575 474jdvff 478jfszk 4809594q 48151623 481516234
        4815162342 4815162342a 4815162342lost 4815162342q 4904s677075 49527843 495rus19 4cranker 4ebouux8 4fa82hyx 4freedom 4g3izhox
        4gxrzemq 4me2know 4r3e2w1q 4rfv3edc 4rfv5tgb 4rzp8ab7 4z34l0ts 4z3al0ts 50spanks 51051051051 51094didi 51525354 51842543 52545856
        52678677 531879fiz 5411pimo 541233432442 54132442 5432112345 545ettvy 551scasi 5544332211 554uzpad 55556666 555666777 55667788
        55832811 55bgates 565hlgqo 567rntvm 57392632 58565254 5c92v5h6 5hsu75kpot 5t4r3e2w1q 5t6y7u8i 5tgb6yhn 5tgbnhy6 5w76rnqp 5wr2i7h8
        625vrobg 62717315 6339cndh 640xwfkv 6458zn7a 65mustan 66005918 66613666 66669999 666999666 666satan 669e53e1 67390436 67camaro
        67mustan 682regkh 6846kg3r 686xqxfg 68camaro 69213124 69camaro 6gcf636i 6jhwmqku 6xe8j2z4 705499fh 73501505 74108520 74123698
        741236985 741258963 74185296 741852963 7418529630 741852kk 74227422 742617000027 748159263 753951456 753951852 754740g0 7653ajl1
        766rglqy 7777755102q 77777778 7777777a 7777777s 7777777z 77778888 777888999 777angel 78621323 789123456 78945612 789456123
        7894561230 78963214 789632145 789632147 789654123 78n3s5af 794613852 7elephants 7ertu3ds 7f4df451 7gorwell 7hrdnw23 7imjfstw
        7jokx7b9du 7ovtgimc 7u8i9o0p 7ugd5hip2j 80070633pc 80637852730 808state 80988218126 81726354 8363eddy 85200258 85852008 863abgsg
        86753099 86chevyx 870621345 87654321q 878kckxy 87e5nclizry 88002000600 88351132 88889999 890098890 89015173454 89172735872
        89211375759 89231243658s 8928190a 89600506779 89876065093rax 8j4ye3uz 8letters 8phrowz622 8phrowz624 8xuuobe4 911turbo 918273645
        92702689 9293709b13 9379992a 9379992q 944turbo 951753852 96321478 963214785 963258741 96385274 963852741 9638527410 98741236
        987412365 98745632 987456321 987654321a 987654321q 987654321z 98798798 989244342a 99762000 99887766 999111999q 999888777 9hmlpyjd
        9kyq6fge a1234567 a12345678 a123456789 a1234567890 a123456a a123456b a123456z a19l1980 a1a2a3a4 a1a2a3a4a5 a1b2c3d4 a1b2c3d4e5
        a1l2e3x4 a1s2d3f4 a1s2d3f4g5 a32tv8ls a3eilm2s2y a7777777 a7nz8546 a9387670a a987654321 aa1111aa aa123123 aa123321 aa123456
        aaa12345 aaa123456 aaaa1111 aaaaaaa1 aaaabbbb aabbccdd aardvark aaron123 aassddff ab123456 ab12cd34 abc12345 abc123456
        abc123456789 abc123abc abcd1234 abcd12345 abcde123 abcde12345 abcdef12 abcdef123 abcdefg1 abercrom aberdeen abhishek abigail1
        abnormal abracada abracadabra abrakadabra abramova absinthe abulafia ac2zxdty acapulco access12 access123 access14 access20
        access22 access88 access99 accessno account1 accountbloc acdeehan acerview aceshigh achilles acidburn acidrain acmilan1 acun3t1x
        acuransx acurarsx adam1234 adapters adelheid adelphia adgjmptw adidas11 adidas12 admin123 admin18533362 admiral1 adrenali
        adrenalin adriana1 adrianna1 adv12775 advantag adventur adxel187 aerosmit aerosmith aerostar aessedai aezakmi1 afrodita afrodite
        aftermat agamemno agapov58 agbdlcid agent007 aggarwal agnieszka agricola airborne airbrush airedale airforce airforce1 airjordan
        airplane aishiteru ajcuivd289 ajnjuhfa ajnjuhfabz ak470000 akatsuki akinfeev aksarben al123456 alabama1 alabama123 alabaste
        alakazam alanfahy alastair albacore albatros albert12 albertjr alberto1 alcapone alcatraz aldebara aldebaran alderaan alejandr
        aleksand aleksander aleksandr aleksandra alekseev alekseeva alemania alena2010 alenushka alessand alessandr alessandro alevtina
        alex1234 alex12345 alex1959 alex1973 alex1974 alex1985 alex1987 alex1990 alex1991 alex1995 alex1996 alex2000 alex2010 alex2112
        alexande alexander1 alexandr alexandra1 alexandre alexandru alexis01 alexsandr alfabeta alfarome alfaromeo alfredo1 algernon
        alhambra alicante alice123 aligator alina123 alino4ka alinochka alkaline allalone allan123 allblack allblacks allen123 alleycat
        alligato alligator allison1 allister allnight allochka allstar1 allstars allstate almaz666 alohomora aloysius alpacino alpha123
        alphabet alphabeta alphadog alphaman alphaome alphaomega alphaone alskdjfh alskdjfhg altavista alterego alternat alucard1 amadeus1
        amanda01 amanda10 amanda11 amanda12 amanda123 amanda18 amanda69 amandine amaranth amarillo amaterasu amateurs amatuers amazing1
        amazonas amazonka amber123 amberdog amberlee ambrosia ambulanc amekpass america1 america2 amersham amethyst amiga500 amoremio
        amsterda amsterdam amsterdam1 an83546921an13 anabelle anabolic anaconda anakonda analfuck anallove analslut anarchy1 anastasi
        anastasija anastasiy anastasiya anathema anatoliy ancella2 anchorag anchorat andre123 andrea11 andrea12 andrea99 andreas1 andreeva
        andrei123 andreika andretti andrew01 andrew10 andrew11 andrew12 andrew123 andrew13 andrew22 andrew88 andrew99 andrewjackie
        andrey123 andreyka andromed andromeda andyod22 anfield1 angel007 angel123 angel666 angel777 angela12 angelbab angeldog angeleye
        angeleyes angeliqu angelito angelo4ek angelochek angelofwar anguilla anhnhoem anhyeuem animal2000 animals1 anime123 anisimov
        anna1982 anna1984 anna1985 anna1986 anna1987 anna1988 anna1989 anna1990 anna1994 anna1997 anna2000 anna2010 anna2614 annamari
        annapoli annarbor annelies annemari annette1 annie123 anniedog annushka anonymou another1 antananarivu anteater antelope anthony0
        anthony1 anthony2 anthony3 anthony5 anthony7 anthony9 antietam antigone antihero antivirus anton123 antonell antonella antonia1
        antonio1 antonio2 antonio3 antonioj antonius antonova antoshka anuradha aolsucks apache64 aphrodit apocalyp apokalipsis apollo11
        apollo13 appelsin apple123 applegat applemac applepie apples12 apples123 applesauce appleseed appletre aq1sw2de3 aqswdefr aquafina
        aqualung aquamann aquarius aquemini aqwzsxedc arabella arachnid aragorn1 arcangel archange archangel archibal architec archmage
        arclight arcturus arenrone areyukesc argentin argentum argonaut arhangel arianna1 aristote aristotl arizona1 arkangel arlingto
        armadill armagedd armageddon armagedo armagedon armastus armstron arnster55 arrowhea arschloc arschloch arsehole arsenal1 arsenal2
        arsenalf arsenalfc arshavin art131313 artem123 artem2010 artem777 artemis1 artichok artiller artofwar arwpls4u as123456 asd12345
        asd123456 asd123asd asd123qwe asdasd12 asdasd123 asdasdas asdf1234 asdf12345 asdf4321 asdf67nm asdfasdf asdfasdf1 asdffdsa
        asdfg123 asdfg1234 asdfg12345 asdfgh01 asdfgh12 asdfgh123 asdfghj1 asdfghjk asdfghjkl asdfghjkl1 asdfghjkl123 asdfjkl1 asdfjkl;
        asdflkjh asdfqwer asdfrewq asdfzxcv asdqwe123 asdzxc123 asfnhg66 ashley01 ashley11 ashley12 ashley123 ashley69 asmodean asmodeus
        aspirine assa1234 assasins assassin assassins assclown asscrack asseater assembler assfucke asshole1 asshole2 asshole3 assholes
        asslicke asslicker asslover assmaste assmaster assmunch associat assword1 astalavista astaroth asterios asterix1 astonmar
        astonmartin astonvil astonvilla astra123 astroboy astroman astrovan at4gftlw athlon64 atlanta1 atlantida atlantis atljhjdf
        atombomb atreides auckland2010 august11 august12 august15 august16 august17 august22 august24 august25 august31 augustin auntjudy
        aurelien aurelius austin01 austin11 austin12 austin123 austin31 austin316 austintx australi australia1 autechre authcode autobahn
        autopass avalanch avalanche avangard avemaria avenger1 aventura avondale avrillavigne avtoritet awdrgyjilp awesome1 awesome2
        az123456 azathoth azerty12 azerty123 azertyui azertyuiop azfpc310 azsxdcfv azsxdcfvgb azwebitalia b0ll0cks b1234567 b929ezzh
        babemagn babemagnet baberuth babushka baby1234 baby2000 babybear babyblue babyboy1 babycake babycakes babydoll babyface babygirl
        babygirl1 babygurl babyhuey babylon5 babylove babyphat babyruth bacardi1 backbone backd00r backdoor backdraf backlash backspac
        backspace backwood bad11bad badabing badaboom badboy69 badgirls badkarma badkitty badlands badminto badnaamhere baerchen baggins1
        bagheera bagpipes bailey01 bailey10 bailey11 bailey12 bajingan bajskorv bakayaro balalaika balance1 baldhead baldrick balefire
        balla007 baller23 balloon1 balloons balls123 ballsack baltimor banana12 bananas1 banderas banderos bandit01 bandit12 bangkok1
        bankshot banshee1 baphomet barabbas baracuda barakuda baranova barbados barbara1 barbaria barbarian barbaris barbaros barbwire
        barcelon barcelona barclays bareback barefeet barefoot baritone barkley1 barmaley barney01 barney11 barney12 barrabas barracud
        barracuda barrakuda barrynov barselona bartende bartman1 baseba11 basebal1 baseball baseball1 baseball11 baseball12 baseball2
        baseball3 baseball7 baseball9 basilisk basketba basketbal basketball1 bassboat bassfish basshead bassingw bassline bassman1
        bassmast bassplay bastard1 bastardo bastogne batistuta batman01 batman11 batman12 batman123 batman13 batman21 batman23 batman69
        batman99 batterie batterse battery1 bayadera bayliner bayshore baywatch bb123456 bbbbbb99 bbbbbbb1 bcfields bdfyeirf beachboy
        beachbum beaches1 beanhead beantown bear2327 bearcat1 bearcats bearclaw beardown bearshar bearshare beast666 beastie1 beatles1
        beatles4 beautifu beautiful1 beaver12 beaver69 beavis69 beckham7 beefcake beer1234 beerbong beernuts beethove behemoth beholder
        belgario belgorod belinda1 bella123 bellaboo belladog belladon bellagio bellevue bellsout bellybut belochka beloved1 bendover
        benedikt benessere benetton bengals1 benhogan benidorm benjamin1 benladen bennett1 bennevis bennyboy bentley1 berbatov berezuckiy
        bergerac bergkamp berliner bermuda1 bernadet bernard1 bernhard berserke berserker besiktas bestfriend beszoptad bethany1 bettis36
        bettyboo bettyboop bettylou beverly1 bhbyjxrf biarritz biedronka bigballa bigballs bigbird1 bigblack bigblock bigblue1 bigboner
        bigboobs bigbooty bigboy12 bigbroth bigbubba bigbucks bigbutts bigchief bigcocks bigdaddy bigdaddy1 bigdick1 bigdicks bigdog69
        bigfella bigfoot1 biggdogg biggirls biggreen bighouse bigloser bigmaxxx bigmoney bigmouth bignasty bigpappa bigpenis bigpimpi
        bigpimpin bigpoppa bigpussy bigsexxy bigsexy1 bigstick bigstuff bigtime1 bigtits1 bigtitts bigtitty bigtruck bigtymer bigwilly
        bikerboy bilbobag bill1234 billabon billabong billgate billgates billiard billy123 billybob billyboy billygoa billyjoe billyray
        bingbong bingo123 binladen biohazar biohazard bionicle bioshock birdcage birdhouse birdland birdman1 birmingh birthday1 birthday10
        birthday100 birthday2 birthday21 birthday299 birthday3 birthday4 birthday5 birthday54 birthday6 biscayne biscuit1 bisexual
        bismarck bismilla bismillah bitch123 bitchass bitchboy bitchedu bitchedup bitches1 biteme12 biteme69 blablabl black123 black666
        blackadd blackass blackbea blackbel blackbelt blackber blackberry blackbir blackbird blackbox blackboy blackbur blackcat blackcoc
        blackcock blackdic blackdick blackdog blackeye blackfin blackfly blackhat blackhaw blackhawk blackhea blackheart blackhol
        blackhole blackice blackie1 blackjac blackjack blacklab blackmag blackmen blackmetal blackmor blackone blackops blackout blackpoo
        blackros blackrose blacksab blacksex blackshe blacksta blackstar blacksun blacktop blackwhite blade123 bladerun bladerunner
        blahblah blankman blaster1 blasters blastoff blenheim blessed1 blessing blessyou blindman blingbli blingbling blink182 blizzard
        bloembol blondie1 blondinka blood123 blood666 bloodlus bloopers blowfish blowjob1 blowjobs blowme69 bltynbabrfwbz blue1234
        blue2000 bluearmy blueball blueballs bluebear bluebell blueberr bluebird bluedevi bluedevils bluedragon blueduck blueeyes bluefire
        bluefish bluegill bluegras bluejays bluejean blueline bluemoon bluenose bluenote bluerose blueskie bluesky1 bluesman bluestar
        bluetick bluewave blunt420 bmw318is bmw325is bmw330ci bmw750il bob12345 bobafett bobby123 bobbyboy bobbyjoe bobcat12 bobdylan
        bobmarle bobmarley bobolink bocephus bodiroga bodyhamm bodyshop boeing74 boeing77 bogdan123 bogdanova bojangle bollocks bologna1
        bombadil bombshel bonapart bond0007 bondage1 bondarenko bonefish bonehead bonethug bonethugs boneyard bonghits bonjour1 bonkers1
        bonoedge bonscott boobies1 boobless booboo11 booboo12 booboo69 boogaloo boogiema boognish bookcase bookmark bookworm boomboom
        boomtown boondock booster1 bootcamp bootmort bootneck bootsman bootycal bootycall bootyman borabora bordeaux boris123 borisenko
        borisova bornfree borntorun borodina borussia bosco123 boscoe01 bosshogg bosstone boston12 botafogo bowhunte bowhunter bowling1
        boy4u2ownnyc boyscout boywonde br00klyn bradley1 bradpitt braindea branden1 brandnew brandon0 brandon1 brandon2 brandon3 brandon6
        brandon7 brandy12 brasilia bravehea braveheart braves10 braves95 brazzers breadman breaker1 breakers breakfas brehznev breitlin
        brendan1 brennan1 brentfor bretagne brethart brewcrew brian123 brianna1 bridget1 brighton brillian brimston bristol1 britney1
        britneys brittany1 broncos1 broncos2 broncos7 broodwar brooklyn brooklyn1 brooksie brother1 brother2 browncow browndog browneye
        brownie1 brownlov browns99 bruce123 brucelee brucewayne bruins77 bruno123 brunswic bsheep75 bubba123 bubbabub bubbadog bubbaman
        bubblegu bubblegum bubbles1 bubbles2 buccanee buckeye1 buckeyes buckfast buckshot buckskin buckster buckwhea buckwheat buckwild
        budapest buddy123 buddyboy buddycat buddydog buddylee budlight budweise budweiser budwiser buffalo1 buffalos buffett1 buffy123
        bugmenot bugsbunn bugsbunny bukowski buldozer bulgakov bulldawg bulldog1 bulldog2 bulldog7 bulldogg bulldogs bullfrog bullhead
        bullnuts bullride bulls123 bullseye bullshit bullwink bullyboy bumblebe bumblebee bumerang bungalow bunghole bunny123 bunnyman
        buratino burberry burunduk busdrive bushmast bushwick businessbabe bustanut buster01 buster11 buster12 buster123 buster21 buster22
        buster69 buster88 buster99 buterfly butterba butterbean buttercu buttercup butterfl butterfly butterfly1 buttface buttfuck
        butthead butthole buttlove buttmunc buttmunch buttnutt buttocks buttons1 buttplug buzzkill buzzword bvgthfnjh byabybnb byajhvfnbrf
        bycnbnen bynthytn c0rvette c3por2d2 c43dae874d c43qpul5rz cab4ma99 caballer cabernet cabibble cabinboy cabledog cableguy cableman
        cabowabo cacapipi cachondo cachorro cadillac cadr14nu caffreys cahek0980 caitlin1 calamity calavera calbears caliente californ
        californi caligula calimero calliope callista callisto callofduty calvin69 camaleon camaleun camaro67 camaro69 camaross camaroz2
        camaroz28 cambiami cambridg camel123 cameleon camelot1 cameltoe cameron1 cameron2 cameron7 camilla1 camille1 camp0017 canada12
        canada99 canadien canaries candlebo candy123 candyass candybar candycan candycane candyman canesfan cannabis cannibal cannibus
        cannonba cannonda cannondale canoneos cantona1 cantona7 canucks1 capetown capital1 capital5 capitals capoeira capricor capricorn
        capslock captain1 caramelo cardigan cardinal care1839 carebear carefree carla123 carlitos carlos12 carlos123 carlsbad carlsberg
        carlton1 carnival carolcox carolina carolina1 caroline1 carolyn1 carpedie carpediem carpente carrera4 carter12 carter15 carthage
        cartman1 cartman2 cartoons casablan casablanca casanova casey123 caseydog cashflow cashmone cashmoney casper12 casper99 cassandr
        cassidy1 cassie12 castaway catdaddy caterham caterpil catfight catfish1 catherin cathouse catinhat catlover catmando catsdogs
        catsmeow catwoman cavalier caveman1 cavscout cbr600f3 cbr600f4 cbr600rr cbr900rr cbr929rr cbufhtnf ccccccc1 cde34rfv cdexswzaq
        cdtnjxrf cdtnkfyf cdtnkfyrf cdznjckfd cegthgegth cegthgfhjkm ceisi123 celebrat celebrit celeste1 celestia celicagt cellphon
        cellphone celtic1888 celtic67 celtic88 celticfc celtics1 centauri central1 centrino centurion cepseoun cerberus cerulean cessna15
        cessna17 cessna172 cezer121 cfitymrf cfkfvfylhf cfvlehfr cgtwbfkbcn ch1tt1ck chaching chainsaw challeng chameleo chamonix champ123
        champagn champion changeit changeme changeme1 changepa channel1 chaos666 chapstic characte charger1 chargers chargers1 charisma
        charles1 charles2 charles3 charlest charlie0 charlie1 charlie123 charlie2 charlie3 charlie4 charlie5 charlie6 charlie7 charlie8
        charlie9 charlieb charlies charlott charlton charmed1 chase123 cheburashka checkers checkito checkmat cheerios cheerlea
        cheerleaers cheese12 cheeseca cheetah1 chelsea0 chelsea1 chelsea2 chelsea3 chelsea4 chelsea6 chelsea7 chelsea8 chelseaf chelseafc
        chemistr cherokee cherries cheshire chessman chessmaster chester1 chester2 chester3 chester7 chevelle chevrole chevrolet chevy350
        chevy454 chevyman chevys10 chevytru chevyz71 chewbaca chewbacc chewbacca cheyanne cheyenne cheyenne1 chgobndg chibears chicago0
        chicago1 chicago2 chicago5 chicago7 chicco22 chicken0 chicken1 chicken123 chicken2 chickens chickenwing101 chico123 chihuahu
        chilango children2 chilidog chillout chimaera chinacat chinaman chinatow chinchil chinese1 chipmunk chipper1 chippers chipster
        chitarra chloe123 choclate chocolat chocolate1 choochoo chopper1 choppers chopsuey chris123 chrisbln chrisbrown chrisrey chrissie
        chrissy1 christa1 christer christia christiaan christian1 christin christma christof christop christophe christopher1 christos
        christy1 chronic1 chrysler chuck123 chuckie1 chuckles churchil cidkid86 cigarett cincinna cinderel cindylou cingular cinnamon
        cisco123 ciscokid citibank civilwar cjdthitycndj cjkysirj cjrjkjdf cjxb2014 ck6znp42 clambake clapton1 clarinet clarisse clarkken
        clarkkent classact classic1 classics claudia1 claybird claymore clayton1 clemence clemson1 cleopatr clevelan clinton1 clipper1
        clippers clitlick clitoris close-up clownboy clubpenguin cmu9ggzh cnfybckfd cnhfyybr cnhjbntkm cnhtrjpf cnjvfnjkju cntgfirf
        cntgfyjdf cobblers cobra123 cobra427 cobrajet cocacola cocacola1 cockgobbler cockring cocksuck cocksucker cocoloco cocopuff
        cocorico codeblue cokeisit coldbeer coldfire coldplay coleman1 collants collecti colleen1 college1 collingw collins1 colole57
        colombia colorado colossus colt1911 coltrane comanche comander combat123654 comcast1 comfort1 comicbook comicbookdb comicbooks
        comicsans command1 commande commando commodor communit compaq12 computador computadora compute1 computer computer1 concorde
        concordi concrete conducto conehead confiden connect1 connecte connecti consense constanc construc consumer containe contortionist
        contrera control1 cookie12 cookie59 cookies1 cooking1 cool1234 coolbean coolbeans cooldude coolfool coolgirl coolguy1 coolhand
        coolman1 coolness coolwhip cooper12 coorslig coorslight copenhag corleone cornbrea cornbread corneliu cornell1 cornflak cornhole
        cornholi cornholio cornhusk corperfmonsy corpsman corrado1 cortland corvet07 corvett1 corvette corvette1 cosmodog costaric
        costarica cosworth cottage1 counchac countach counter1 counterstrike country1 countyli courtney1 cousteau coventry cowabung
        cowboy12 cowboy22 cowboys1 cowboys2 cowboyup cptnz062 crabcake cracker1 crackhea crackhead cracksevi cranberr crawfish crayfish
        crazy123 crazybab crazyboy crazycat crazyfrog crazyman crazyzil creampie creamyou creatine creative creative1 creepers creosote
        crescent crevette cribbage cricket1 crickett crimson1 crippler cristiano critters crjhgbjy crjhjcnm crocodil cronaldo crossfir
        crossroa croucher crownvic cruiser1 crusader cruzazul crystal1 crystal2 csfbr5yy ctdfcnjgjkm cthuttdbx cthuttdf cthuttdyf ctvtyjdf
        cubalibr cubalibre cubbies1 cubswin1 cucciolo cucumber cuddles1 culinary cumeater cumlover cumshot1 cumshots cumsucker cuntfinger
        cuntlick cuntsoup cupcake1 curious1 curitiba currahee cutegirl cutiepie cvbhyjdf cvtifhbrb cvzefh1gk cvzefh1gkc cxfcnkbdfz
        cxfcnmttcnm cxzdsaewq cyberman cybernet cyberonline cybersex cyclone1 cyclones cyclops1 cyecvevhbr cygnusx1 cyjdsvujljv cynthia1
        cytuehjxrf cytujdbr czekolada d1234567 d1i2m3a4 d1lakiss d78unhxq dad2ownu daddy123 daddymac daedalus daffodil daffyduc daftpunk
        dagestan dagobert daisy123 daisydog daisymae daisymay dakota01 dakota12 dalejr88 dalglish dallas01 dallas11 dallas12 dallas21
        dallas22 dallastx dalmatio damage11 damned69 damngood damocles dance123 dandelion dangerou daniel01 daniel11 daniel12 daniel123
        daniel21 daniela1 danielit danielle1 danijela danil8098 danny001 danny123 dannyboy dante123 danthema dantheman dapzu455 daredevi
        daredevil darkange darkangel darkhors darkjedi darkknig darkknight darklord darkmanx darkmoon darkness darkness1 darknigh
        darknight darkside darksoul darkstar darkwing darkwolf darthmau darthvad darthvader dartmout dasha123 dashadasha dashenka datalife
        datalore datnigga dave1234 davecole daveyboy david123 davidkin davidlee davidoff davidruiz davinchi daydream daytona1 daywalker
        dbjktnnf dbrnjhbz dbrnjhjdbx dbrnjhjdyf dbyjuhfl dcowboys dctdjkjl dctktyyfz dctvghbdf dctvghbdtn dcunited ddddddd1 de1987ma
        deadhead deadlift deadlock deadman1 deadmeat deadpool deadsexy deadspin deadwood death123 death666 deathnote deathrow deathsta
        deathstar debbie69 deborah1 december1 decembre deepblue deepdive deeppurple deepthro deepthroat deepwate deerhunt deerhunter
        deerpark deeznuts deeznutz defender defiant1 deflep27 deftones delasoul deliciou delorean delpiero delta123 deltachi deltaforce
        deltaone deltasig demetrio demon123 demon666 den12345 denis123 denis1988 denman85 depeche1 depechemode derparol derrick1 derrickh
        desember designer deskjet1 desperad desperado desperados destiny1 destiny2 destroye detectiv detroit1 deutschland devil123
        devil666 devilboy devildog devildriver devilish devilman devilmay devilmaycry devilmaycry4 devo2706 devochka dezember dfcbkbcf
        dfcbkmtd dfcbkmtdf dfkmrbhbz dfktynby dfktynbyf dfktynbyrf dfnheirf dfyjdf846 dgl70460 dhjnvytyjub diablo11 diablo66 diablo666
        diabolic diamante diamond1 diamond2 diamond3 diamond6 diamond7 diamondb diamondd diamonds diana123 diapason diciembr dickface
        dickhead dickless dicklick dickster dicksuck dickweed dictiona diego123 dietcoke differen digital1 digitalprodu digiview dignity7
        dilbert1 dilligaf dilligas dillweed dima1234 dima12345 dima1985 dima1989 dima1990 dima1992 dima1993 dima1994 dima1995 dima1996
        dima1997 dima1998 dima1999 dima2000 dima2009 dima2010 dimedrol dimensio dimidrol dimitris dimochka dimon4ik dinamite dingdong
        dinmamma dinosaur dinsdale diogenes dionysus diosesamo dipstick direktor direwolf dirkpitt dirtball dirtbike dirtybir dirtyboy
        dirtydog dirtygirl dirtyman discgolf discover diskette disturbe divedeep diversio dixiedog djg4bb4b djgabbab djkrjlfd djkujuhfl
        dkflbckfd dkflbdjcnjr dkflbvbh dkflbvbhjdbx dkflbvbhjdyf dkjfghdk dm6tzsgp dmitriev doberman dodgeram dodgers1 dodgeviper dogballs
        dogbert1 dogbreat dogbreath dogfight doggy123 doggydog doggysty doggystyle doghouse doglover dogphil3650 dogpound dogstyle
        dohcvtec dolemit1 dolemite dolittle dollarbi dollface dolomite dolphin1 dolphin2 dolphin9 dolphins dolphins1 doma77ns
        domainlock2005 domenico dominati dominator dominic1 dominika dominion dominiqu donaldduck donatello donkeykong donna123 dont4get
        dontcare dontforg dontgotm donthate dontknow donttell doomsday doorknob dopehead doraemon doromich dorothee dorothy1 dortmund
        dothedew doughboy douglas1 dovetail dowjones downhill downunde draconis dragon00 dragon01 dragon10 dragon11 dragon12 dragon123
        dragon13 dragon20 dragon21 dragon22 dragon23 dragon25 dragon64 dragon66 dragon666 dragon69 dragon76 dragon77 dragon88 dragon98
        dragon99 dragonba dragonball dragonballz dragonfi dragonfire dragonfl dragonfly dragons1 dragoon1 dragrace dragster dreamcas
        dreamcast dreamer1 dreamer2 dreamers dreamgirl dressage drjynfrnt dro8smwq dropdead dropkick dropzone drowssap drpepper
        drumandbass drumline drummer1 drummers drumnbass ds7zamnw dthjybrf dthjybxrf dthyjcnm dtkjcbgtl dtxyjcnm ducati74 ducati99
        duchess1 duckhunt duckling ducksoup ducttape dude1234 dude1998 dudelove duffbeer dukeblue dukenukem dukester dumbass1 dumbfuck
        duncan21 dune2000 dupont24 duracell durandal durango1 dustin23 dusty123 dusty197 dustydog dutchess dutchman dynamite dynastar
        dynomite dzxtckfd eae21157 eagle123 eagleeye eagleman eagleone eagles05 eagles12 eagles20 earnhard earthlin earthlink eastern1
        eastside eastwest eastwood easy1234 easyride eatmenow eatmeraw eatmyass eatpussy eatshit1 eclipse1 eclipse2 eclipse9 edcwsxqaz
        eddie123 edelweis edgewise edgewood edinburg eduardo1 educatio edward11 edward12 edwardss eeeeeee1 efbcapa201 eggplant eightbal
        eightball einstein eintrach ejaculation ekaterina ekaterina20 ekilpool eklhigcz el546218 elaine22 elbereth elcamino eldiablo
        eldorado eldritch eleanor1 electra1 electric electron elefante elektrik element1 elementa elena123 elena2010 elenberg elephant
        eleven11 elfquest elfstone elisabet elizabet elizabeth1 elizaveta ellehcim elliott1 elmer251 elvira26 elvis123 emachine emachines
        emanuela emanuele embalmer emerald1 emergenc emerson1 emiliano emily123 eminem12 emmajane emmitt22 emyeuanh enamorad endymion
        energize energizer enforcer engineer england1 enlighte enter123 enternow enterpri enterprise entertai envision epaulson epervier
        epiphone episode1 epsilon1 erection ereiamjh eric1234 ericsson escalade escorpio escorpion esmerald esperanz espresso essayons
        essendon estefani estrellit eternal1 eternity ethernet euphoria euro2000 eurocard eus1sue1 evanescence evangeli evangelion
        evenflow everclea everest1 evergree everlast everlong evermore everques everquest everton1 evertonf everythi evgeniya evildead
        evolutio excalibe excaliber excalibu excalibur excellen excelsio exclusiv executiv executor expediti exploite exploiter explore1
        explorer express1 extra300 extreme1 eybdthcbntn eyecandy f00tball f14tomcat f15eagle f8yruxoj fabienne fabolous fabregas facefuck
        fahjlbnf failsafe fairchil fairfiel fairlady fairlane fairmont fairview faith123 fakepass falcon11 falcon12 falcon16 falcon69
        falcons1 fallenangel fallout2 fallout3 falstaff family01 familyguy fandango fantasia fantasma fantasti fantasy1 fantasy7 fantomas
        fantomen farfalla farscape farside1 fartface fartripper fastback fastball fastcars fastdraw fastfood fastlane fatbitch fatdaddy
        fatgirls fathead1 fatluvr69 fatpussy favorite2 favorite3 favorite5 favorite6 favorite7 favorite8 fbi11213 fcbarcelona fcbayern
        fcc5nky2 fearless feather1 feathers federica fedorova feelgood fefolico feldspar felicida felicidade felix123 felixxxx fellatio
        fellowes fenerbahce ferdinan ferndale ferrari1 ferrari2 ferrari3 ferrari5 ferraris fetish01 fetish69 feuerweh feuerwehr feyenoor
        feyenoord fffffff1 ffvdj474 fgdfgdfg fgjrfkbgcbc fgtkmcby fhnehxbr fhntv1998 fhutynbyf fhvfutljy fibonacci ficktjuv fiction7
        fidelity fietsbel fifa2008 fifa2010 fifa2011 fightclu fightclub fighter1 fighting54 filibert finalfan finalfantasy finance1
        finnland fireball firebird fireblad fireblade firedawg firefigh firefighter firefly1 firehawk firehose firehous fireman1 fireplug
        firestar firestarter firestor firestorm firetruc firetruck firewall firewire firework firstone firstone123 firstson firsttim
        fish1234 fishbait fishbone fishcake fisherma fisherman fishface fishfood fishhead fishhook fishing1 fishlips fishtank fistfuck
        fitness1 fiveiron fivestar fjnq8915 fk8bhydb fkbyf001 fkbyjxrf fkg7h4f3v6 fkmnthyfnbdf fkojn6gb fktdnbyf fktrcfyl fktrcfylh
        fktrcfylh1 fktrcfylhf fktrcfylhjd fktrcfylhjdbx fktrcfylhjdyf fktrcttd fktyeirf fktyjxrf flameboy flamengo flamingo flapjack
        flash123 flashbac flashman flashnet flatbush flathead flatland flatline flatron1 fleetwoo flexible flexscan flhtyfkby flimflam
        flintsto flintstone flipflop flipmode flipper1 flipside florenci florian1 florida1 florida2 flounder flower12 flowers1
        flvbybcnhfnjh flyers88 flyfishi flyvholm flywheel fnkfynblf foiegras followme foofight footbal1 football football1 football12
        football2 foothill footlong footlove footslav forbidde ford9402 fordf150 fordf250 fordf350 fordfocus fordtruc fordtruck foreplay
        foreskin forest11 forest99 forever1 forever21 forgetit forgotit forgotte forklift formatters formula1 forrest1 forsaken fortunat
        fortune1 fortune12 fortytwo forward1 fotograf foucault foundati fourplay fourstar foxglove foxhound foxtrot1 foxwoods foxylady
        foxyroxy fractals france98 frances1 francesc franchis francis1 francisc frank123 frankfur frankie1 frdfhbev frdfkfyu freakout
        freaksho freakshow freckles fred1234 fredderf freddie1 freddy12 frederik frederiksberg free4all freebird freecell freedom0
        freedom1 freedom2 freedom3 freedom4 freedom5 freedom7 freedom9 freefall freehand freelanc freelove freemail freeman1 freeones
        freepass freeporn freeport freeride freespace freestuff freestyl freetime freeuser freewill freiheit frenchfr frenchie frequenc
        frfltvbz friday13 fridolin friedric friends1 friendste friendster frogger1 froggies froglegs frogman1 froinlaven fromhell front242
        frontera frontier frostbit fruitbat fruitcak fsd9shtyu fsunoles fuck1234 fuck_inside fuckedup fucker11 fucker69 fuckface fuckfest
        fuckgirl fuckhard fuckhead fuckhole fucking1 fuckinside fuckitall fucklife fucklove fuckme69 fuckmeha fuckmehard fuckmeno
        fuckmenow fuckmyass fucknuts fuckoff1 fuckoff2 fuckshit fuckslut fuckthat fuckthem fucktheworld fuckthis fuckuall fuckyeah
        fuckyou! fuckyou0 fuckyou1 fuckyou12 fuckyou123 fuckyou2 fuckyou6 fuckyou69 fuckyou7 fuckyou8 fuckyoubitch fuckyouguys fuhrfzgc
        fujifilm fullback fullhous fullmetal fullmoon fullsail fumanchu funfunfu funhouse funkster funnyguy funnyman funstuff funtime1
        funtimes fussball futurama futyn007 fuzzball fvcnthlfv fy.njxrf fyfcnfcbz fyfnjkbq fyfnjkmtdyf fyfrjylf fylh.irf fylhjvtlf
        fylhtq95 fylhtqrf fylhttdf fynfyfyfhbde fynjybyf fyutkbyf fyutkjxtr g0dz1ll4 g1234567 gabriel1 gabriel2 gabriell gadzooks galactic
        galactus galadriel galatasara galatasaray galeries gallaghe gallaries galvesto gamecock gamecocks gamecube gameover gametime
        gandalf0 gandalf1 gandalf2 gandalf3 gangbang gangbanged gangsta1 gangstar gangster gangster1 ganjaman ganjubas gannibal ganymede
        garbage1 gardenia garfield garfield1 gargamel gargoyle garibald garrett1 gatekeep gateway1 gateway2 gateway3 gateway9 gateways
        gatorade gatorman gaudeamus gauloise gauntlet gavrilov gb15kv99 gbgbcmrf gbhfvblf gblfhfcbyf gblfhfcs gbljhfcs gborv526 gbpacker
        gbplf123 gbpltw123 gcheckou gcheckout gearhead geddylee geemoney geibcnbr geilesau gemini69 gemstone general1 generic1 genesis1
        geneviev geniusnet gennadiy geolog323 george01 george11 george12 george13 georgia1 geraldin gerlinde germania germany1 geronimo
        gerrard8 gerrity1 gesperrt getalife getfucked getmoney getnaked getsdown getsmart gettysbu gevaudan gfccdjhl gfccgjhn gfgf1234
        gfgfrfhkj gfgfvfvf gfhfcjkmrf gfhfljrc gfhfyjbr gfhjkbot gfhjkm007 gfhjkm11 gfhjkm12 gfhjkm123 gfhjkm13 gfhjkm135 gfhjkm22
        gfhjkmgfhjkm gfhjkmxbr gfhjkzytn gfhkfvtyn gfhnbpfy gfif1991 gfxqx686 gfyfcjybr ggggggg1 ghbdtn12 ghbdtn123 ghbdtnbr ghbdtnbr1
        ghbdtnbrb ghbdtndctv ghbdtnghbdtn ghbdtngjrf ghbdtnrfrltkf ghbjhbntn ghblehjr ghblehrb ghbrjkbcn ghbrjkmyj ghbywtccf ghfplybr
        ghhh47hj764 ghhh47hj7649 ghjcgtrn ghjcnbnenrf ghjcnbvtyz ghjcnj123 ghjcnjabkz ghjcnjgbpltw ghjcnjgfhjkm ghjcnjghjcnj ghjcnjnf
        ghjcnjnfr ghjcnjnfr1 ghjcnjqgfhjkm ghjcnjrdfibyj ghjcnjrdfif ghjdthrf ghjnjnbg ghjnjrjk ghjrehfnehf ghjrehjh ghjrjgtyrj ghjuhfvvf
        ghjuhtcc ghjvtntq ghost123 ghostdog ghostman ghostrid ghostrider ghtktcnm ghtpbltyn giancarlo gianluca giantess giants56 gibsonsg
        gigabyte gigemags gilbert1 gilgames gilgamesh gillian1 gimmesum ginger11 ginger12 ginger123 ginscoot gintonic ginuwine girfriend
        giuliana giveitup gizmo123 gizmodo1 gizmodo2 gjhjctyjr gjikbdctyf gjkbyjxrf gjkrjdybr gjkysqgbpltw gjkzrjdf gjytltkmybr gladiato
        gladiator gladiolus gladston glasgow1 glasnost glassjaw glendale glennwei glenwood glock9mm gmctruck gn56gn56 gnasher23 goathead
        gobigred gobrowns gobruins gobuffs2 godbless goddess1 godfathe godfather godisgoo godisgood godisgreat godislov godislove godloves
        godofwar godsgift godslove godsmack godspeed godswill godzilla goeagles gofaster goforit1 gogators gogiants gohabsgo golakers
        goldenbo goldenboy goldeney goldeneye goldfing goldfinger goldfish goldmine goldorak goldrush goldsink goldstar goldtree goldwing
        goleafsg golf1234 golfball golfcart golfclub golfer01 golfer11 golfer12 golfer23 golfing1 gondolin gonefish goober12 good12345
        good123654 good4you goodbeer goodboss goodbye1 goodfell goodfellas goodfood goodgame goodgirl goodhead goodison goodlife goodluck
        goodnews goodpussy goodstuf goodtime goodtimes goodtogo goodwood goodyear goofball google12 google123 gooseman gordolee85 gordon24
        gorilla1 gorillaz gotigers gotohell gotyoass grace123 gracelan grandam1 grandma1 grandorgue grandpri grandprix granvill grapeape
        grappler grasshop gravedig graywolf greatdan greatgoo greatone greatsex greatwhi greedisgood greekgod green123 green420 greenbay
        greenbud greenday greenday1 greendog greenegg greenery greeneye greeneyes greenlan greenlantern greenman greentea greentre
        greentree greenwoo gregory1 gremlins grendel1 greshnik gretzky9 greyhoun greywolf gridlock griffey1 griffin1 griffins grigoryan
        grimlock grimreap grinders grizzley grizzlie grizzly1 groucho1 groundho groupd2013 gsewfmck gsgba368 gsxr1000 gsxr1100 gtfullam
        gthtcnhjqrf gthtrhtcnjr gtkmvtyb gtkmvtym gtnhjdbx gtnhjdyf gtnhjpfdjlcr gtogto43 gtxtymrf guadalup guardian guatemal guderian
        guesswho guildwars guilherme guillaum guillerm guinness guinness1 guitar12 guitarma guitarman guitarra gulliver gunblade gundam00
        gunners1 gunsling gunslinger gunsmoke gunther1 gustavo1 gutentag gutierre gxlmxbewym gy3yt2rgls gymnastic gznybwf13 habanero
        hagakure haileris hairball hakkinen halflife halflife2 halfmoon halfpint hallo123 hallowboy hallowee haloreach hambone1 hamburg1
        hamburge hammarby hammer22 hammer69 hammer99 hammerhe hammers1 hammertime hampster hamradio hamster1 handbags handball handcuff
        handsoff handyman hankster hannah01 hannah11 hannah12 hannelor hannibal hannover hansolo1 hanswurst happines happy100 happy123
        happyboy happyday happydays happydog happyguy happyjoy happyman happyone harakiri hardball hardbody hardcock hardcore hardcore1
        harddick harddriv hardhead hardline hardpack hardrock hardtail hardtime hardtoon hardwareid hardwood hardwork harley01 harley11
        harley12 harley13 harley69 harley99 harmony1 harrison1 harry123 harrydog harrypot harrypotter hartland hatelove hatesyou hatteras
        hattrick hawaii50 hawaiian hawkdog79 hawkeye1 hawkeyes hawkmoon hawkwind hawthorn hayabusa hayastan hazelnut hd764nw5d7e1vb1
        headcase headhunt headless headshot heartbre heat7777 heather1 heather2 heather6 heathers heathrow heatwave heavymet heavymetal
        heckfyxbr hedgehog hedimaptfcor hedj2n4q hedonism hedonist heimdall heineken heinlein hejmeddig helicopt hellbent hellfire
        hellgate hello101 hello123 hello1234 helloall hellohel hellokit hellokitty helloman hellomoto hellothe hellothere helloween
        helloworld helloyou hellrais hellraiser hellsing hellspaw hellspawn hellyeah helpdesk hemicuda hemingwa hemmelig henderso hendrix1
        henriett henrique henry123 herbert1 hercules herewego herkules hermione hernande herpderp hershey1 hesoyam1 hesoyam123 hetfield
        heythere hfcgbplzq hfcnfvfy hfgcjlbz hhhhhhh1 hiawatha hibernia hibiscus higgins1 highball highbury highfive highheel highjump
        highland highlander highlife highspee hightime highwind hihje863 hilfiger hillbill hillcres hillside hiroyuki history1 hithere1
        hitman47 hjcnbckfd hjvfyjdf hjvfynbrf hkger286 hobiecat hockey10 hockey11 hockey12 hockey19 hockey21 hockey22 hockey69 hockey99
        hoddling hogwarts holeinon holeshot holiday1 holland1 holliste holly123 hollydog hollywoo hollywood1 holymoly holyshit homebase
        homebrew homedepo homefree homegrow homemade homepage homer123 homerjay homersim homerun1 homewood homeworld honda123 honda200
        honda250 honda450 hondacar hondacbr hondaciv hondacivic hondacrv hondacrx hondaman hondas2000 hondavfr honey123 honeybea honeybear
        honeybee honeybun honeydew honeypie honeypot hongkong honolulu hookedup hooligan hoopstar hoopster hoosiers hooters1 hopalong
        hopeful1 hopefull hopkins1 horizon1 hornball horndog1 horny123 hornyboy hornydog hornyguy hornyman hornyone horseman horsemen
        horsesho hosehead hot2trot hotbabes hotbitch hotchick hotgirls hotlanta hotpants hotpussy hotsauce hotsex69 hotshot1 hotspurs
        hotstuff hotwater hotwheel hotwheels hounddog house123 housebed housecat housepen housewife housewifes houston1 hovepark hpmrbm41
        hrothgar hrvatska hshfd4n279 htcnjhfy htubcnhfwbz hubbahub hubertus hugecock hugedick hugetits hugoboss hulkster hullcity hummerh2
        hungwell hunt4red hunter01 hunter11 hunter12 hunter123 hunter22 hunter69 hunter99 hunting1 huntress hurrican huskerdu huskers1
        huskies1 hustler1 hvidovre hxp4life hxxrvwcy hydepark hyperion hypnodanny hzze929b iaapptfcor iamgreat iamhappy iamhorny
        iampurehaha2 iamthema iamtheman iamtheone ibelieve ibill123 ibilljpf ibilltes icam4usb icandoit icecream icecube1 icehouse
        iceman69 iddqdiddqd iddqdidkfa idinahui idlewild idontcare idontkno idontknow ifoptfcor iforgot1 iforgotit ifufkbyf ignatius
        igor1234 igor1994 igromania ihateyou iiiiiii1 ijrjkflrf ikilz083 ilikepie ilikepussy ilikesex ilikeyou illmatic illumina
        illuminati illusion iloveamy iloveass iloveboobies ilovecock ilovegirls ilovegod iloveher ilovehim ilovejen ilovejes ilovejesus
        ilovekim ilovelife iloveluc ilovemar iloveme1 iloveme2 ilovemom ilovemusic ilovemylife ilovemyself ilovepor iloveporn ilovepus
        ilovepussy ilovesex iloveyou iloveyou! iloveyou1 iloveyou123 iloveyou2 iluvporn iluvtits ilya1234 ilya1992 imaccess imagine1
        imissyou imladris immortal impalass imperator imperium implants importan impossib imtheman inandout incognit incognito incubus1
        indahous indahouse independ india123 indiana1 indianali indianer indians1 inferno1 infiniti infinity inflames informat infotech
        ingersol ingodwetrust ingram01 inkognito insertion insertions insomnia inspecto inspiron installdevic installsqlst installutil
        insuranc integra1 integrit intelinside interacial intercourse intermilan internat internet internet1 intersta intheass intheend
        intranet intrepid intruder inuyasha invalidp invernes invictus invisibl ipswich1 iqzzt580 ireland1 irina123 irish123 irishman
        ironbird ironchef irondoor ironfish ironfist ironhead ironhors ironhorse ironlung ironmaid ironmaiden ironman1 ironman2 ironmike
        ironpony ironroad ironside ironsink irontree is3yeusc is_a_bot isabella1 isacs155 iseedeadpeople isengard ishikawa iskander
        islander istanbul isthebes istheman italian1 italiano itdxtyrj ivan1985 ivan2010 iverson3 iwantsex iwantyou izabella j0nathan
        j1234567 j3qq4h7h2v jabroni1 jack1234 jackaroo jackass1 jackdani jackdaniels jackhamm jackie69 jackoff1 jackpot1 jackryan jackson1
        jackson2 jackson5 jackster jacob123 jacqueli jadakiss jailbait jailbird jaimatadi jake1234 jake5253 jakester jakeyboy jalal123
        jalapeno jamaica1 james007 james123 jamesbon jamesbond jamesbond007 jameson1 jamie123 jamielee jansport january1 january2 japanees
        jaredleto jarhead1 jasmine1 jasmine2 jasmine5 jasmine7 jason123 jasper12 javabean jawbreak jaydog472 jayhawk1 jayhawks jaysoncj
        jazzbass jazzman1 jbond007 jeanpaul jediknig jediknight jedimast jeepster jeff1234 jefferso jeffery1 jeffrey1 jellybea jellybean
        jellyfis jemoeder jennife1 jennifer1 jenny123 jericho1 jerkyboy jeronimo jerrylee jerusale jesse123 jessica0 jessica1 jessica2
        jessica6 jessica7 jessica8 jessicam jessicas jesucrist jesus123 jesus777 jesuschr jesuschris jesuschrist jesusis1 jesusislord
        jesussaves jetbalance jetblack jg3h4hfn jgthfnjh jhrl0821 jigei743ks jiggaman jillian1 jimandanne jimdavis jimmy123 jimmyboy
        jimmyjam jitterbu jiujitsu jjjjjjj1 jkbvgbflf jlbyjxrf jlbyjxtcndj jledfyxbr jo9k2jw2 jobsearc joeblack joesakic joesmith johanna1
        johannes john1234 johnatha johncena johndeer johndeere johngalt johnmish johnny69 johnny99 johnnybo johnpaul johnsmith johnson1
        johnson2 johnson4 johnwayn joker123 joker666 joker777 jollymon jonathan1 jonnyboy jor23dan jordan01 jordan11 jordan12 jordan123
        jordan18 jordan22 jordan23 jordan45 jordan99 joselito joseluis joseph10 joseph12 josephin joshua01 joshua12 joshua19 joxury8f
        joystick jrcfyjxrf jtuac3my juancarlo juanjose juggalo1 juggerna juggernaut juiceman julia123 julie456 jumpman23 junebug1 jungfrau
        junglist junior01 junior12 junior123 junior24 junkfood junkmail junkyard jupiter1 jupiter2 jurassic just4fun just4you justdoit
        justforf justforfun justice1 justin01 justin10 justin11 justin12 justin123 justinbiebe justinbieber justine1 juventus jvtuepip
        jxfhjdfirf k1234567 k123456789 k9dls02a kaitlynn kakaroto kakashka kalamazo kaligula kalimera kalinina kalleank kalleanka kallisti
        kamasutr kamasutra kamehame kamehameha kamikadze kamikaze kangaroo kappaman kappasig karaganda karamelka karandash kardinal
        karen123 karimova karishma karlmarx karlmasc karolina karolina1 kartoshka kasparov katarina katerina katerinka katharin kathryn1
        katie123 katiedog katmandu katrina1 katya123 katyusha kawasaki kayaking kayla123 kazakova kazanova kazantip kbdthgekm kbnthfnehf
        kcchiefs kcj9wx5n kcmfwesg kd189nlcih keith123 kekskek1 kelly001 kelly123 kellyann kenaidog kendall1 kennedy1 kenneth1 kennwort
        kenny123 kenshin1 kenshiro kensingt kenwood1 kenworth ketamine kevin123 keyboard keylargo keystone keywest1 kfcnjxrf kfnju842
        kfvgjxrf kgvebmqy kickass1 kickbutt kickflip kicksass kikimora kikiriki kilbosik killabee killbill killemal killemall killer01
        killer11 killer12 killer123 killer13 killer23 killer66 killer666 killer69 killer77 killer99 killerbe killians killswit killzone
        kimber45 kimberle kimberly1 kindbuds king1234 kingdom1 kingfish kingfisher kingkong kinglear kingrich kingsize kingston kirill123
        kirsten1 kissarmy kissmyas kissmyass kissthis kitty123 kittycat kittykat kittykit kjrjvjnbd klapaucius klaudia1 kleopatra klimenko
        klingon1 klondike klootzak klubnika kluivert knickerless knickers knight12 knight99 knights1 knockers knopfler knopo4ka knowledg
        knuckles kobebryant kochamcie kochanie kodaira52 koetsu13 kohsamui kokakola kolesnik kolia123 kolovrat komarova komputer kondom25
        konfetka konnichi kononenko konovalov konstantin koolhaas kordell1 koroleva koshechka koteczek kourniko kovalenko kpydskcw
        kr9z40sy krakatoa krasavica krasnodar krasotka kravchenko kristall kristen1 kristin1 kristina1 kristinka kristjan krokodil
        kryptoni ktnj2010 ktybyuhfl kukareku kukuruza kukushka kuleshov kumar123 kurosaki kurosawa kurtcobain kurwamac kusanagi kwiettie
        kzsfj874 l0swf9gx l58jkdjp! l8g3bkde labrador lacrimos lacrimosa lacrosse ladybird ladybug1 ladyffesta ladygaga ladygirl ladyluck
        laetitia lafayett lagwagon lakeland lakers12 lakers24 lakers32 lakers34 lakeshow lakeside lakewood lalakers lalaland lambchop
        lamborghini lamborgini lambrett lancaste lancelot landrove landrover landscap lanzarot lapdance lapochka laputaxx laracrof
        laracroft larionov larkspur larousse larry123 larrybir laserjet lasombra lastochka lasttime lasvegas lateralu lateralus laura123
        lavalamp lawncare lawnmowe lawntrax lazyacres lbfyjxrf lbhtrnjh lbpfqyth leadfoot leapfrog leather1 leavemealone lebedeva lebowski
        lebron23 ledzeppe ledzeppelin leedsuni leedsutd left4dead left4dead2 lefthand legalize legioner leglover legoland legolas1
        leiceste lekbyxxx lemmings lemonade len2ski1 lena1982 lena2010 lenochka leonard1 leonidas lerochka lesbian1 lesbians lespaul1
        letitrid letmein0 letmein1 letmein2 letmein22 letmein3 letmein4 letmein6 letmein7 letmein9 letmeinn letmeinnow letmeino letmesee
        leto2010 letsdoit letsfuck letsplay letterma levelone leviatha leviathan lewie622 lexingky lexingto lexmark1 lexus300 lfiekmrf
        lfitymrf lfplhfgthvf lg2wmgvr lhbjkjubz2957704 libertad liberty1 liberty2 liberty7 lichking lickme69 licorice liebherr liebling
        lifeguar lifehack lifeisgood lifestyl lifesuck lifesucks lightbul lightfoo lighthou lightman lightnin lightning lightsab
        lightsaber likemike likewhoa lildevil lillian1 lilwayne limabean limaperu limewire limpbizk limpbizkit limpdick lincoln1 linda123
        lindros8 lindsay1 lindsey1 lineage2 linkinpark lionhear lionheart lionking lionsden lisa1234 lisamari lisichka listopad litebeer
        lithium1 littlebear littlebi littlebit littlebitch littlebo littledo littlegi littlegirl littlejo littlema littleman littleon
        littleone littlewhore liveevil livelife liverp00l liverpoo liverpool liverpool1 liverpoolfc liverune livestrong livewire liza2000
        liza2009 lizaveta lizottes ljb4dt7n ljxtymrf lkjhgfdsaz lobster1 lochness lockdown lockerroom locksmit locoman0 logan123 logcabin
        logging7 loginova logistic logitech logitech1 loglatin loislane lokomoti lokomotiv lol123123 lol12345 lol123456 lollipop lollypop
        lololyo123 lomonosov london01 london11 london12 london20 london22 london99 lonesome lonestar lonewolf longball longbeac longbeach
        longboar longboard longdick longdong longhair longhorn longhorns longjohn longlegs longlife longshot longtong longview longwood
        lonsdale lookatme looking1 looking4 loosee123 lopas123 loploprock loranthos lordsoth loredana lorenzo1 losangel losangeles
        losbravo losenord loser123 losfix16 lost4815162342 lostlove lostsoul lotrfotr34 lotus123 louisian love1234 love2000 love2010
        love2011 love4ever love4you loveable lovebird loveboat lovebugs lovecock lovecraf lovefeet loveforever lovegirl lovehate lovehina
        lovehurts loveislife lovelife loveme89 loveporn lovepuss lovepussy loverboy lovergir lovergirl loverman lovesexy lovesong lovespor
        lovesporn lovestory lovesuck lovesyou lovethem lovetits loveyou1 loveyou2 lovezp1314 lowrider lp2568cskt lsdlsd12 lsia9dnb9y
        lsutiger ltcnhjth lthgfhjkm ltybcjdf lucas123 lucifer1 lucifer666 lucky123 lucky777 luckyboy luckycat luckycharm luckydog luckyman
        luckyone lucozade ludacris ludmilla lunchbox luojianhua luscious lutscher luv2epus luv2fuck luvbekki luvpussy lvbnhbq1 lvjdp383
        lysander lytghjgtnhjdcr lyudmila lzbs2twz lzhan16889 m1234567 m1garand m6cjy69u35 m7hsqstm macanudo macarena macaroni macdaddy
        macdonal macgyver machine1 machoman macintos macintosh mackdadd mackdaddy mackenzi macross7 macsan26 madagaskar madala11 madalina
        maddison maddmaxx maddog69 madelein madhatte madhatter madhouse madison0 madison1 madison2 madison3 madison9 madness1 madonna1
        maestro1 magellan maggie11 maggie12 maggiema magic123 magical123 magician magicman magister magnavox magpies1 mahalkit mahalkita
        mailcreated5240 mailman1 maiyeuem majestic majinbuu majortom makarenko makarova makaveli makeitso makeksa11 makelove makemone
        makemoney maks2010 maksimka maksimus malamute malcolm1 malcolmx malinois malishka mallard1 mallorca mallrats mama1234 mama12345
        mama1961 mama1963 mama2010 mamabear mamacita mamaliga mamapapa mamasboy mamasita mamma123 mammamia mammoth1 mamochka manager1
        manchest mancheste manchester manchester1 manchild mancity1 mandarin mandarinka mandingo mandolin mandragora mandrake mandreki
        mandy123 mangust6403 manhatta mannheim manning1 manolito mansfiel mansikka manstein mantaray manunite manunited manwhore
        mapet123456 maplelea mapleleafs maprchem56458 maradona marajade marakesh maranell maranello marathon marauder marbella marcelit
        marcello marchenko marcius2 marcopol marcopolo marcus12 mardigra margaret1 margarit margosha maria123 mariachi mariajos mariana1
        marie123 marigold marihuana marijuan marijuana marilena marillio marilyn1 marina123 mariner1 mariners marines1 marino13 mario123
        mariposa marishka marissa1 mariupol mark1234 mark3434 marketin markhegarty marlboro marlboro1 marley12 marlins1 marmalad marmelad
        marquise married1 marryher marseill marseille marshal1 martesana martin11 martin12 martina1 martini1 martusia maryann1 maryjane
        marykate masahiro masamune maserati mash4077 masha123 masha1998 mashamasha mashenka mashoutq mason123 massimiliano master00
        master01 master10 master11 master12 master123 master13 master21 master22 master23 master55 master69 master77 master99 masterb8
        masterba masterbaiting masterbate masterbating masterca mastercard masterch masterchief masterkey masterlo masterma mastermi
        mastermind masterof masters1 masturba masturbation masyanya matahari matchbox matchbox20 matematica matematika matilda1 matrix01
        matrix12 matrix13 matrix69 matrix99 matt1234 matthew1 matthew2 matthew3 matthew5 matthew7 matthew8 matthew9 matthias matthieu
        mattingl matulino matveeva maulwurf maureen1 maurice1 maurizio maurolarastefy maverick maverick1 mavericks max33484 maxim1935
        maximili maximilian maximus1 maximus2 maxpayne maxpower maxthedo maxwell1 maxwell2 maxwell7 mayflowe maynard1 mazafaka mazahaka
        mazda323 mazda626 mazdarx7 mazdarx8 mazinger mbkugegs mccool24 mcdonalds mclaren1 mclarenf1 mdmaiwa3 meandyou meatball meathead
        meatloaf mechanic medical1 medicina meditate medvedev medvedeva megabyte megadeth megaman1 megamanx megapass megapolis megastar
        megatron melanie1 melanie2 melbourn melinda1 melissa1 melissa2 melissa3 melissa6 melissa7 melnikova memphis1 memyself meowmeow
        mephisto mercator mercedes mercedes1 mercenar mercury1 mercury7 mercutio merengue meridian merlin01 merlin11 merlin12 merlin21
        merlin69 merlin99 mermaid1 mermaids merrill1 mersedes mesohorny mesquite messenge messiah1 metal666 metalgea metalgear metalhead
        metalica metallic metallica metallica1 metalman metatron methodman metro2033 metropol mets1986 mevefalkcakk mexicali mexicano
        miami305 michael0 michael1 michael12 michael2 michael3 michael4 michael5 michael6 michael7 michael8 michael9 michaelb michaelc
        michaeld michaelj michaell michele1 michelin michelle1 michelob michigan mick7278 mickey01 mickey11 mickey12 mickey22 mickeymo
        mickeymouse microlab microlab1 microphone microsof microsoft microwav midnight midnight1 mightymo miguelit mike1234 mike12345
        mikehunt mikey123 milamber milashka milehigh milenium milhouse milkbone milkmaid milkman1 milkshak milkyway millenia milleniu
        millenium millenni miller31 millerli millerlite millerti millertime million1 millwall milwauke mimi92139 mindgame mine2306
        minecraft minecraft123 mineonly minhasenha minicoop minidisc minimoni miniskir minnesot minnette minotaur minouche minstrel
        miracle1 miranda1 mironova miroslav miroslava mischief misfit99 misfits1 misha123 mishanya mishutka misiaczek mission1 mississi
        misskitt misskitty missy123 misterio misterme mistral1 mistress misty123 mistydog mithrand mitsubis mittens1 miyvarxar mizredhe
        mjollnir mmmmmmm1 mnbvcxz1 mobbdeep mobydick modelsne mojojojo molly123 mollycat mollydog mollymoo mom4u4mm mommy123 momoney1
        momsanaladventure monalisa monaliza monamour monday12 money111 money123 money4me money777 moneybag moneymak moneymaker moneyman
        moneymon mongoose monica12 monica69 monique1 monitor1 monitor2 monkey00 monkey01 monkey10 monkey11 monkey12 monkey123 monkey13
        monkey20 monkey21 monkey22 monkey23 monkey24 monkey66 monkey69 monkey77 monkey99 monkeybo monkeyboy monkeybu monkeybutt monkeyma
        monkeyman monkeys1 monkfish monolith monopoli monopoly monster1 monster2 monster7 monster9 montagne montana1 montecar montecarlo
        monterey monterre montgom240 montgome montreal montrose monty123 mookie12 moom4242 moom4261 moonbeam moondog1 moonglow moonligh
        moonlight moonlite moonrake moonshin moonshine moonstafa moonstar moonunit moose123 moosehea moosejaw mooseman morebeer moremone
        moremoney morgaine morgan01 morgan12 morganstanley morkovka morozova morpheus morphius morrigan morrisse morrowin morrowind
        mortgage morticia mortimer mossberg mostwanted motdepas motdepass motdepasse mother12 motherfu motherfuck motherlode motocros
        motocross motoguzz motorbik motorbike motorcyc motorhea motorhead motorman motorola motorolla motorrad mounta1n mountain mouse123
        mouseman mousepad movieman mowerman mpetroff mrblonde mrbrownx mrbrownxx mrbungle msconfig msouthwa mtwapa1a muaythai mudhoney
        mudshark mudslide mudvayne muenchen muffdive muffdiver muffin12 mulberry muledeer multimed multipas multiplelo multiplelog
        multiscan multisyn multisync munchkin murcielago murmansk murphy01 murzilka muselman mushroom music123 musicman mustaine mustang0
        mustang1 mustang2 mustang3 mustang4 mustang5 mustang6 mustang69 mustang7 mustang8 mustang9 mustangg mustanggt mustangs mustard1
        mvtnr765 mwq6qlzo mxaigtg5 mxyzptlk my2girls my3girls myfamily myfriend mymoney1 mymother mynameis mynewbots mynewpas mypasswo
        mypassword mysecret myspace1 mysterio mystery1 mystikal myxworld myxworld4 n7td4bjl n8skfswa nadezhda nallepuh nancy123 nanotech
        nantucke napolean napster1 narkoman naruto12 naruto123 nascar03 nascar20 nascar24 nascar88 nascar99 nashvill nastenka nastya1995
        nastya2010 nastyboy nastyman natalia1 natalie1 nataliya natas666 natascha natasha1 natasha123 natasha2 natashka natedawg natedogg
        nathan01 nathan12 nathanie natural1 naturals naturist naughty1 naughtyboy nausicaa nautilus nautique navigato navigator navyblue
        navyseal nazarenko nazareth nazarova nbuhtyjr ncc1701a ncc1701d ncc1701e ncc74656 nccpl25282 ndshnx4s nebraska necroman
        necromancer nectarin nederland nedkelly needforspeed needsome nefertiti nemesis1 nemezida nemrac58 nemvxyheqdd5oqxyxyzi neophyte
        nepenthe nephilim neptune1 nesterov netnwlnk netscape netvideo network1 networkingpe netzwerk neuspeed neutrino neveragain
        neverdie nevergiveup neverland nevermin nevermind nevermor nevermore neverwinter newburgh newcastl newdelhi newhaven newjerse
        newjersey newlife1 newmexic neworder neworlea neworleans newpass1 newpass3 newpass6 newpassword newpoint newport1 newports
        newproject2004 newshoes newstart newstyle newworld newyork1 newyorke newzeala newzealand nextdoor nezabudka nfnmzyrf nfvthkfy
        nhecsyfujkjdt nhfdvfnjkju123 nhfkbdfkb nicegirl nicerack nicetits nicholas1 nick1234 nicklaus nicksfun nicolas1 nicolas2 nicole11
        nicole12 nicole18 nicole23 nicolett nietzsch nigger123 nightcrawler nightfal nighthaw nighthawk nightime nightman nightmar
        nightowl nightwin nightwing nightwis nightwish nightwolf nihao123 nike1234 nikita123 nikita1998 nikita2000 nikita95 nikitina
        nikki123 nikolaev nikolaeva nikolaus nilknarf nineball nineinch ninjaman ninjutsu nintendo nintendo1 nintendo64 nirvana1
        nissan350z nitehawk nitemare njdevils nnmaster nnnnnnn1 noaccess nochance nocturne nohack04 noisette nokia123 nokia2700 nokia3110
        nokia3230 nokia3250 nokia3310 nokia5130 nokia5200 nokia5228 nokia5230 nokia5300 nokia5310 nokia5320 nokia5530 nokia5800 nokia6120
        nokia6230 nokia6230i nokia6233 nokia6300 nokia6303 nokia6630 nokia7070 nokia7610 nokia8800 nokiadermo nokian70 nokian73 nokian95
        nolimit5 nolimit8 nolimit9 nolimits noname123 noncapa0 nonmembe nonrev67 noodles1 nopasswo nopassword normandy norseman northsta
        northstar northwes norwegen nosaints nosferat nosferatu nostromo notagain note1234 notebook nothanks nothing0 nothing1 notoriou
        notredam notredame nottingh nottoday notyours nounours novartis novastar novembre novifarm novikova nowayman nowayout nowwowtg
        nthvbyfnjh ntktdbpjh nuaddn9561 nudelamb nuggets1 number20 numberon numbnuts nursultan nuttertools nwo4life nygiants nyknicks
        nyyankee o4izdmxu oakland1 oakridge oblivion obsessio obsidian obvious1 oc247ngucz oceans11 octavian october1 october2 october3
        october6 october7 october8 octopuss oddworld odinthor odt4p6sv8 odysseus ofclr278 offsprin ohiostat ohiostate oktober7
        olcrackmaster oldpussy oldschoo oldschool oldsmobi oldsmobile oldspice oldtimer oleander oleg1994 oleg1995 olegnaruto olga1976
        oliveoil olivetti ololo123 omega123 omegaman omegared omgkremidia omgwtfbbq omsairam onelove1 onepiece onlyone1 onlyone4 ontheroc
        ontherocks oooooo99 opelastra open1234 opendoor opensesa opensesame openwide operatio operator opopop11 optimist optimus1 optiplex
        optiquest oqglh565 orange10 orange11 orange12 orange44 orange77 orange99 oranges1 orenburg orgasmic oriflame orioles1 orlando1
        oscar123 oscardog ou812345 ou8124me outsider overdriv overkill overlord ownage123 oxymoron ozlq6qwm p0015123 p030710p$e4o p0o9i8u7
        p0o9i8u7y6 p1234567 p2ssw0rd p3nnywiz p455w0rd p4ssw0rd p4ssword p@ssw0rd pa$$w0rd pa55w0rd pa55word pachanga pacific1 pacifica
        packard1 packers1 packers4 paganini pagedown painkill painkiller paintbal paintball paintball1 painter1 pakalolo pakistan paladin1
        paladine palantir palenque pallmall palmeira palmeiras palmetto palmtree paloalto palpatin panasoni panasonic panasonik pancake1
        panchito panda123 pandabear pandora1 pandora2 pandoras panorama pantera1 panther1 panther2 panther5 panther6 panthers panthers1
        panties1 panties2 pantyhos pantyhose pantyman papabear papageno papamama paparoach papasmurf paperboy papercli paperclip papercut
        paperino papichul papillon pappnase parabola parachut paradigm paradise paradoxx parallax paramedi paramedic paramore parcells
        parfilev paris123 parker12 parkside parkview parlament parol123 parol999 parolamea parolparol parrothe parsifal partagas partizan
        partner1 partyboy partyman partytim pasadena pasha123 pass1234 pass1word passcode passfind passion1 passions passking passmast
        passmaster passport passsword passthie passthief passw0rd passw0rd1 passward passwerd passwor1 password password0 password00
        password01 password1 password10 password11 password12 password123 password1234 password13 password2 password21 password23
        password3 password4 password5 password6 password69 password7 password8 password9 password99 passwords passwordstandard passwort
        paswoord patagoni patches1 pathfind pathfinder patricio patrick0 patrick1 patrick2 patrick3 patrick7 patrick8 patrick9 patriot1
        patriots patriots1 patrizia patrycja patterso paul1234 paula123 paulaner paulchen paulina1 paulinka pavement pavilion pavlenko
        pavlusha payton34 pazzword pchealth pdtpljxrf peace123 peaceout peaches1 peaches2 peacock1 peanut11 peanut12 peanutbutter peanuts1
        pearljam peartree pebbles1 pedigree pedro123 peekab00 peekaboo peepshow pegasus1 peggysue penchair pendrago pendragon penelopa
        penetrating penetration penfloor penguin1 penguins penis123 penmouse pennstat pennstate penny123 pennydog pennywis pennywise
        pensacol penthous pentium1 pentium2 pentium3 pentium4 pepper01 pepper11 pepper12 pepper123 pepper76 pepsi123 pepsicol pepsicola
        pepsiman pepsimax pepsione peregrin perfect1 perfecto performa pericles pernille persepho pershing persona1 pertinant pervasive
        pervert1 pescator peter123 peterbil peterbilt peterburg peternor peternorth peterose peterpan petrovich petrovna pfchfytw pfqxjyjr
        pgszt6md phaedrus phantasm phantasy phantom1 phantom2 phantoms pharmacy phatfarm pheasant pheonix1 phezc419hv phialpha philbert
        philippe philips1 phillesh phillies phillip1 philmont phish123 phish420 phishing phoenix1 phoenix2 phoenix3 phoenix7 phoenix8
        phoenix9 phoneman photogra photoman photosho phydeaux pi314159 pianoman piazza31 picasso1 piccolo1 pickles1 pictuers piehonkii
        piercing pikachu1 piligrim pilot123 pilsbury pimpdadd pimpdaddy pimpjuice pimpshit pimpster pinarell pineappl pineapple pinecone
        pinetree pinewood pinggolf pingpong pinguino pingzing pinkerto pinkfloy pinkfloyd pinkpant pinkpuss pinkpussy pinky123 pinnacle
        pinoyako pioneer1 pipeline pipeutvj pippen33 piramida piramide pirates1 pirrello pistache pistons1 pitbull1 pitbulls pitchers
        pittbull pittsbur pizza123 pizzaboy pizzahut pizzaman pizzapie pjcgujrat pjflkork plankton plastic1 plastics plat1num platinum
        platypus playball playboy1 playboy2 playboys player69 playgirl playgolf playgrou playhard playmate playstat playstation
        playstation2 playstation3 playtime pleaseme plokijuh plumber1 plymouth pmdmscts pmdmsctsk pointman poiu0987 poiu1234 poiulkjh
        poiuytrewq pokemon1 pokemon12 pokemon123 pokemon2 pokemons poker123 pokerface pokesmot polarbea polarbear polaris1 polaroid
        police22 policema polkadot polkaudi polkaudio polniypizdec0211 polniypizdec110211 polo1234 polopolo09 pon32029 pondscum pontiac1
        poochie1 poohbear poohbear1 pookster pool6123 poontang poopface poophead poopypan popcorn1 poppy123 poppydog poptarts porkchop
        porkypig porn1234 porn4life pornking pornlove pornlover porno123 pornogra pornografia pornographic pornoman pornosta pornostar
        pornpass pornsite pornstar porpoise porsche1 porsche9 porsche911 porsches portland portsmou portugal portvale poseidon positivo
        postbank postov10 postov1000 potapova poulette pourquoi power123 power666 powerade powerboo powerhou powermac powerman powerpla
        powerstr ppppppp1 ppspankp pr1ncess prashant preacher preciosa precious precious1 precisio predator prelude1 premier1 premiumcash
        presario presiden prestigio preston1 pretende prettybo prettyboy prettygirl pridurok primaver primavera primetim primetime21
        primrose prince11 prince12 princesa princess princess1 princessa princesse princeto principa principe pringles printer1 priscill
        prisonbreak private1 private5 priyanka prodigy1 producti profesor professo programm project1 promethe promopas prophet1 prospero
        prostock protools prototyp proverbs providen provista prufrock ps253535 psw333333 psychnau psychnaut1 psycholo psylocke ptfe3xxp
        ptybnxtvgbjy puertorico pufunga7782 pullings pumpkin1 pumpkin2 pumpkins punisher punkrawk punkrock punksnotdead puppydog puravida
        purple01 purple11 purple12 purple13 purple69 pushistik pussy101 pussy123 pussy4me pussybitch pussyboy pussycat pussyeat pussyeater
        pussyfuck pussykat pussylic pussylick pussylicker pussylip pussylov pussylover pussyman putamadre putangina pxx3eftp pyramid1
        pyramid7 pyramide pyramids q1234567 q12345678 q123456789 q1234567890 q123456q q1q2q3q4 q1q2q3q4q5 q1w2e3r4 q1w2e3r4t q1w2e3r4t5
        q1w2e3r4t5y6 q1w2e3r4t5y6u7 q1w2e3r4t5y6u7i8 q1w2e3r4t5y6u7i8o9p0 q2w3e4r5 q8zo8wzq qawsed123 qawsedrf qawsedrftg qawsedrftgyh
        qaz12345 qaz123456 qaz123wsx qaz12wsx qaz1wsx2 qazedctgb qazsedcft qazwsx11 qazwsx12 qazwsx123 qazwsx1234 qazwsx12345 qazwsxed
        qazwsxedc qazwsxedc1 qazwsxedc12 qazwsxedc123 qazwsxedcrfv qazwsxedcrfvtgb qazxcdew qazxcdews qazxcvbn qazxcvbnm qazxsw12
        qazxsw123 qazxsw21 qazxswed qazxswedc qazxswedc123 qazxswedcvfr qcmfd454 qmezrxg4 qmpq39zr qpful542 qpwoeiruty qq123456
        qq123456789 qqqq1111 qqqqqqq1 qqqwwweee qqwweerr quagmire quality1 quant4307 quant4307s quantum1 quaresma quattro6 queenas8151
        queenbee quicksan quicksil quicksilver quietkey quiksilver quincunx quovadis qw123456 qw12er34 qwaszx12 qwaszx123 qwaszxerdfcv
        qwaszxqw qwe123456 qwe1234567 qwe123asd qwe123qwe qwe123rty qweasd12 qweasd123 qweasdqwe qweasdzx qweasdzxc qweasdzxc1
        qweasdzxc123 qwedcxzas qwedsazxc qweqwe12 qweqwe123 qwer1209 qwer1234 qwer12345 qwer4321 qwerasdf qwerasdfzxcv qwerfdsa qwert123
        qwert1234 qwert12345 qwert54321 qwertasdfg qwertgfdsa qwerttrewq qwerty00 qwerty01 qwerty02 qwerty09 qwerty10 qwerty11 qwerty111
        qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwerty123456789 qwerty13 qwerty2010 qwerty21 qwerty22 qwerty23 qwerty321
        qwerty33 qwerty66 qwerty666 qwerty69 qwerty77 qwerty777 qwerty78 qwerty88 qwerty89 qwerty99 qwertyas qwertyasd qwertyasdfgh
        qwertyu1 qwertyu8 qwertyui qwertyuio qwertyuiop qwertyuiop1 qwertyuiop10 qwertyuiop123 qwertyytrewq qwertzui qwertzuiop qwerzxcv
        qwest123 qzwxecrv r1234567 r2d2c3p0 r2d2c3po r3ady41t r3vi3wpass r4e3w2q1 rabbit66 racecar1 racecars rachael1 rachel69 radagast
        radiance radiatio radical1 radiohea radiohead radioman raffaele raffaello ragnarok raiders1 raiders2 rainbow1 rainbow2 rainbow6
        rainbow7 rainbows raindrop rainmake rainmaker rainman1 raintree rainyday raistlin rambler1 rambo123 rammstei rammstein rammstein1
        ramstein ranchero random123 ranger01 ranger02 ranger11 ranger12 ranger21 ranger69 ranger75 ranger98 ranger99 rangers1 rangers2
        rangers9 raptor22 rapunzel rasengan raspberr rasputin rasta220 rastafar rastafari rastaman rattlers rattlesn rattolo58 raven123
        rawiswar raymond1 razdvatri razorbac rb26dett rdfhnbhf rdgpl3ds ready2go realdeal realgood realmadr realmadri realmadrid realtime
        reanimator rebbyt34 rebecca1 rebecca2 rebellio reckless red12345 redalert redapple redbarch redbaron redbeard redbirds redbull1
        redcloud redcross reddevil reddrago reddragon reddwarf redeemed redeemer redfish1 redgreen redhawks redhead1 redheads redhorse
        redhouse redknapp redlands redlight redneck1 redrider redriver redrocke redroses redrover redshift redshoes redskin1 redskins
        redskins1 redsox04 redsox11 redstone redstorm redtruck redvette redwhite redwing1 redwings redwings1 redwood1 refinnej rehjgfnrf
        rekbrjdf reloaded rembrand remingto renegade renfield repvtyrj repytwjd repytwjdf repytxbr rerehepf rerfhfxf rerfhtre residentevil
        resolute respublika restaura retired1 revelati revenant review69 reviewpa reviewpass revival47 revoluti revolver rfgbnjirf
        rfgecnfcerf rfgtkmrf rfhbyjxrf rfhectkm rfhfntkm rfhfrfnbwf rfhfufylf rfhfvtkm rfhfvtkmrf rfhfylfi rfhfynby rfhjkbyf rfhlbyfk
        rfhnjirf rfkbybyf rfkmrekznjh rfktylfhm rfnfcnhjaf rfnfgekmnf rfnfhbyf rfnthbyf rfnthbyrf rfntymrf rfpfynbg rfvbrflpt rfvfcenhf
        rfvtgbyhn rfvxfnrf rfycthdf rhapsody rhbcnbyf rhbcnbyjxrf rhfcbdfz rhfcfdbwf rhfcfdxbr rhfcjnrf rhfcyjlfh rhfdxtyrj rhind101
        rhjrjlbk rhtdtlrj ricardo1 riccardo ricflair richard0 richard1 richard2 richard3 richard7 richard9 rickster ricochet riesling
        riffraff rifleman rightnow rikimaru rileydog rincewin rincewind riobravo riptide1 river123 riverplate riverrat riversid rjcntyrj
        rjdfkmxer rjdfktyrj rjhjkmbien rjhjktdf rjirfrgbde rjntyjxtr rjrfrjkf rjvgm.nth rjyatnrf rjycnbnewbz rjycnfynby rkbvtyrj
        rkfdbfnehf rktjgfnhf rlzwp503 roaddogg roadkill roadking roadrash roadrunn roadrunner roadstar roadster roadtrip robert01 robert11
        robert12 robert123 robert22 robert99 roberta1 roberto1 roberts1 robertso robin123 robinhoo robinhood robotech robotics rocawear
        rocheste rockandr rockbott rockbottom rockcity rocket21 rocket69 rocket88 rocketma rocketman rockets1 rockfish rockford rockhard
        rockhead rocknrol rocknroll rockport rockroll rockshox rockstar rocky123 rockyboy rockydog rockytop rodman91 roflcopter roger123
        rollover rolltide roma1993 roman123 roman222 roman777 romanenko romanova romanson romantik romantika romashka romeo123 ronaldinho
        ronaldo1 ronaldo7 ronaldo9 roodypoo roosevel rooster1 roosters rootbeer rootedit rosebowl rosebud1 rosebudd rosebuds rosedale
        rosehill rosemari rosewood rossella rossigno rostislav rothmans rotterda rottweil rounders rovnogod roxanne1 rrrrrrr1 rsalinas
        rt6ytere rubberdu ruffneck ruffryde rugbyman rulesyou runescape runescape1 running1 rush2112 rushmore ruslan123 russell1 russell2
        russian7 russland rusty123 rustyboy rustydog rutabega rvgmw2gl ryjgjxrf rz93qpmq s1234567 s123456789 s456123789 s5r8ed67s s7fhs127
        saab9000 sabbath1 sabrina1 sacramen sacrific sadiedog safeu851 sagitari sailaway sailboat sailfish sailing1 sailormo sailormoon
        saisg002 salamand salamander salamandra salasana salinger salisbur sally123 saltanat saltlake saltydog salvatio salvator sam138989
        samadams samanth1 samantha samantha1 samarkand samatron sammy123 sammyboy sammycat sammydog sampson1 samsung1 samsung123 samsung2
        samuel12 samurai1 sanandreas sananton sanchez1 sanctuar sanders1 sandiego sandman1 sandmann sandokan sandrine sandrock sandy123
        sandydog sanfrancisco sangeeta sanity72 sanity729 sanpedro santacla santacru santeria santorin saopaulo sapphire saqartvelo
        sarah123 sarajane sarajevo sarasota saratoga sargsyan sasafras sasha123 sasha1234 sasha12345 sasha1988 sasha1992 sasha1995
        sasha1996 sasha1997 sasha2000 sasha2010 sasha_007 sashadog sashenka saskatoo sasquatc sassy123 sassydog sat321321 satan666
        satana666 satelite satellit satriani saun24865709 sausage1 sausages savatage save13tx saxophon sayangku sc0tland scanner1 scarecro
        scarface scarface1 scarlet1 scarlets schalke0 schalke04 schastie scheisse schlampe schlange schlumpf schmidt1 schnecke schneide
        schnuffi school12 schoolgirlie schorsch schroede schumach scimitar scirocco scooby11 scooby12 scoobydo scoobydoo scooter1 scooter2
        scooter6 scooter7 scooters scorelan scoreland scorpian scorpio1 scorpio2 scorpio6 scorpio7 scorpion scorpions scotland scotsman
        scott123 scottie1 scottsda scoubidou scoubidou2 scoubidou6 scrabble scrapland scrapper scrappy1 scratch1 screamer screwbal
        screwyou scribble scruffy1 scubadiv scubapro scuderia sd3lpgdr sd3utre7 sdsadee23 seabass1 seagrams seagrave seagulls seahawks
        seahorse sealteam seanjohn searcher searchin searock6 seashell seashore seattle1 seattle2 sebastia sebastian1 sebastie sebastien
        sebora64 sebring1 secret12 secret123 secretar section8 security security1 seductive seemnemaailm segblue2 seinfeld selfok2013
        semenova seminole seminoles semperf1 semperfi semprini senators senha123 sensatio sentinal sentinel sephirot sephiroth septembe
        septembr sepultur sepultura seraphim serega123 serenada serendip serendipity serenity sergbest sergeeva sergeevna sergey123
        sersolution service01 service1 sevastopol seven777 sevendus sevenof9 seventee seventy7 severine sevilia1 sevisgur sex12345
        sexdrive sexfiend sexfreak sexisfun sexisgood sexkitte sexlover sexmachine sexmania sexpistols sexsells sexsexse sexslave sexxxxxx
        sexy1234 sexybabe sexybaby sexybeast sexybitc sexybitch sexyfeet sexygirl sexygirls sexylady sexylegs sexylove sexymama sexytime
        sexywife sfgiants sh4d0w3d shadow01 shadow11 shadow12 shadow1212 shadow123 shadow13 shadow14 shadow22 shadow69 shadow88 shadow99
        shadowfa shadowfax shadowma shadowman shadowru shadows1 shahrukh shakespe shalimar shamanking shamrock shane123 shaney14 shannara
        shannon1 shaolin1 sharingan sharkman sharon69 shawshan shdwlnds shearer9 shedevil sheepdog sheffiel shelley1 shemales shenlong
        sherbert sherlock sherman1 shevchenko shinchan shinigam shinigami shipmate shirley1 shitball shitbird shitface shitfuck
        shithappens shithead shithead1 shithole shock123 shockers shokolad shooter1 shortdog shortsto shotgun1 shotokan showboat showtime
        shredder shrike01 shumaher shuriken shygirl1 sibelius sidekick sideshow sidewind sidewinder sidorova siegheil siemens1 sierra01
        siffredi sigmachi signatur sigsauer silencer silenthill silicone silkeborg sillyboy silmaril silver11 silver12 silver33 silver99
        silverad silverado silverfi silverfo silverfox silverma silversi silverst silvestr simba123 simbacat simon123 simonsay simpleplan
        simpson1 simpsons sinatra1 sinfonia singapor singapur sinister sintesi07 siouxsie sissyboy sisyphus sithlord sixtynin sixtynine
        sk84life sk8board sk8ordie skate123 skateboa skateboard skeeter1 skeletor skidmark skinhead skinner1 skipjack skipper1 skittles
        skorpion skorpion39 skyblues skydive1 skydiver skyline1 skypilot skytommy skywalk1 skywalke skywalker slacker1 slacking slamdunk
        slapnuts slapshot slava123 slaveboy slayer66 slayer666 slayer69 slayers1 sleepers sleipnir slick123 slickric slimed123 slimshad
        slimshady slipknot slipknot1 slipknot666 slippery sloneczko slot2009 slowhand slowpoke slowride slutfuck slutwife smackdow
        smackdown smalldog smallfry smalltit smallvil smallville smartass smarties smashing smeghead smile123 smile4me smirnoff smirnova
        smith123 smoke420 smokedog smokeone smokepot smokeweed smokey01 smokey12 smolensk smooches smoochie smoothie smuggles snake123
        snakeeye snakeeyes snakeman snapper1 snapshot sneakers snickers snickers1 sniper01 sniper12 snoogans snoogins snoopdog snoopdogg
        snoopy12 snoopy69 snowball snowball1 snowbird snowboar snowboard snowdrop snowflak snowflake snowhite snowman1 snowmass snowshoe
        snowstor snowwhit snowwhite snuffles snuggles snusmumrik soboleva sobriety soccer09 soccer10 soccer11 soccer12 soccer123 soccer13
        soccer14 soccer15 soccer16 soccer17 soccer18 soccer19 soccer20 soccer21 soccer22 soccer33 soccer69 soccer99 sochi2014 socrates
        softball softball1 softcore softtail software sojdlg123aljg sokolova sokrates soldier1 solidsna solidsnake solitair solitari
        solitude solnishko solnyshko solomon1 solstice something1 sonechka songbird songohan sonic123 sonnyboy sonofgod sonofsam sonshine
        sony1234 sonyericsson sonyfuck sonyvaio sooners1 sophie12 sophieh6 sopranos sorcerer sordfish soreilly sorokina sorrento
        soso123aljg soulmate soundman southbay southpar southpark southpaw southsid southside southwes sovereig spacebar spaceboy spaceman
        spagetti spaghett spam967888 spanking spankme1 spanner1 sparhawk sparkles sparky01 sparky11 sparky12 sparky99 sparrow1 spartacu
        spartak1922 spartan1 spartan117 spartans sparticu spawn666 speaker1 specboot special1 speciali specialk spectrum speculum speedrac
        spencer1 spencer2 spider10 spider12 spiderma spiderman spiderman1 spiderman3 spike123 spitfire splatter splinter splitter spongebo
        spongebob spoonman sportage sportste sportster sprewell spring00 spring12 spring99 springst sprinter sprocket spurs123 sputnik1
        spyglass squeaker squealer squerting squirrel squirter sr20dett srilanka srinivas ssptx452 sssssss1 ssvegeta stairway stalingrad
        stalker1 stalker123 stallion stallone stamford stampede standart standrew stanislav stanley1 stanley2 staples1 star1234 starbuck
        starbucks starburs starcraf starcraft stardust starfire starfish starflee starfuck starfury stargate stargaze stargazer stargirl
        starligh starlight starline starlite starship start123 startnow startrek starwar1 starwars starwars1 station1 station2 stealth1
        steamboa steeler1 steelers steelers1 steelhea steinway stellina stepanov stepanova steph123 stephani stephen1 steve121 steve123
        stevenso stewart1 sthgrtst stickboy stickman stigmata stiletto stillher stimorol stinger1 stingers stingray stinkyfinger stockcar
        stockhol stocking stokrotka stomatolog stonecol stonecold stonewal stoppedby str8edge strange1 stranger strannik stratfor stratoca
        stratocaster strawber strawberry straycat streaker streaming streetball strekoza strider1 striker1 stripclub stripper stroller
        structur strummer strutter student1 studio54 studioworks studmuff studmuffin stuntman stuttgar sublime1 submarin submissi
        subwoofer success1 suckcock suckdick sucker69 suckfuck suckit69 suckmeoff suckmyco suckmycock suckmydi suckmydick suckthis
        sudhakar sugarbea sugarbear sugardog sugarray suikoden sumitomo summer00 summer01 summer03 summer04 summer05 summer06 summer07
        summer10 summer11 summer12 summer13 summer20 summer69 summer98 summer99 summerti summertime summoner sunburst sundance sundaypunch
        sunderla sundevil sunflowe sunflower sunghile sunlight sunny123 sunnyboy sunnyday sunnysid sunrise1 sunsh1ne sunshine sunshine1
        super123 superbad superbee superbow superboy supercar supercoo superdav superdog superdude superdup superduper superfly superfre
        supergir supergirl superjet superma1 superman superman1 superman123 superman2 supermanboy supermar supermario supermax supermen
        supernov supernova superpuper supersex superson supersonic supersta superstar superted supertra support1 sureno13 sureshot
        surfboar surfcity surfer69 surfing1 surfside surveyor survivor susanne1 suspende suzanne1 sveta123 svetasveta svetlana svetlanka
        swallows swampfox swansong swatteam sweet123 sweetass sweetdream sweetgirl sweethea sweethear sweetie1 sweetnes sweetness sweetpea
        sweetpussy swetlana swimmer1 swimming swinger1 swingers swinging swissair sword123 swordfis swordfish sycamore sydney12 sylvania
        sylveste syncmast syncmaster syracuse sys64738 sysadmin system12 system32 t34vfrc1991 t3fkvkmj tabaluga tabbycat table54781
        tabletop tacobell tadmichaels taekwond taekwondo taganrog tagheuer tailgate tajmahal takamine takayuki take8422 takedown takehana
        taliesin talisker talisman talktome tallulah talonesi tamerlan tampabay tamwsn3sja tanechka tangerin tangerine tango123 tannenbau
        tanstaaf tanushka tanya123 tarantul tarasova taratata tarheel1 tarheels tashkent tassadar tatertot tatiana1 tatooine taylor01
        taylor12 taylorma tazdevil tazmania tcglyued tdfyutkbjy teacher1 teamster teamwork teaparty teardrop techdeck techn9ne technica
        technics technolo tecktonik tecumseh teddy123 teddybea teddybear teengirl teenlove teenslut teiubesc telecast telecaster telefone
        telefono telefoon telemark telephon teleport televisi televizor temitope temp1234 tempest1 temporar temppass temppassword
        temptress tenerife tennesse tennis11 tennis12 tentacle tequiero tequila1 tequilla terminat terminato terminator terorist terrapin
        terrell1 terriers terry123 test1234 testerer testibil testicle testing1 testing123 testing2 testpass testuser teufelo7 texas123
        tgbxtcrbq thailand thanatos thankgod thankyou thebeach thebears thebeast thebeatl thebeatles theblues thechamp theclash theclown
        thecure1 thedevil thedoors theflash theforce thegame1 theghost thegirls thegreat thejoker thekiller theking1 thekiwi1 thelast1
        themaste themaster thematri thematrix theraven theresa1 theriver therock1 thesaint thesims2 thesnake thestone thetachi thething
        thetruth theworld thicknes thinkbig thinkpad thirdeye thirteen thisisit thisisme thissuck thissucks thomas01 thomas10 thomas11
        thomas12 thomas123 thomas13 thomas19 thor5200 thoradin thorsten threesom throatfuck thuglife thuglove thumbnils thumper1 thunder1
        thunder2 thunder3 thunder5 thunder7 thunder9 thunderb thunderbird thunderc thunders thvfrjdf tiberian tiberium tiberius tiburon1
        ticketmaster tickleme tickling ticklish ticktock tiffany1 tiffany2 tiger123 tiger200 tigerboy tigercat tigereye tigerlil tigerman
        tigerpaw tigers01 tigers11 tigers12 tigertig tigerwoo tigerwoods tigger01 tigger11 tigger12 tigger69 tigger99 tightass tightend
        tigrenok tiktonik timberla timberland timberwo timberwolf timebomb timelord timepass timeport timewarp timmy123 timothy1 timoxa94
        tincouch tinfloor tinhorse tinkerbe tinkerbel tinkerbell tintable tippmann tiramisu tiribon12 titanic1 titanium titleist titlover
        titmouse titsnass tkachenko tkbpfdtnf tlbyjhju tm371855 tmjxn151 todiefor tokenbad tokiohotel tomahawk tombraid tombraider
        tombston tomcat14 tomjerry tomjones tommy123 tommyboy tommygun tommylee tomservo tomwaits tonyhawk toolshed tooltime toonarmy
        toonporn tooshort toosweet topdevice topflite topolino toppdogg topsecre topsecret toriamos tornado1 tornados toronto1 torrente
        torrents tortoise toshiba1 totalwar totenkopf tottenha tottenham touchdow toughguy toulouse toutoune towtruck toyota91 toystory
        tracker1 tracy123 trademan trader12 traffic1 trafford trailer1 trailers trainman tranmere tranquil transam1 transcend transexual
        transfor translator transpor trapdoor trashman traveler travelle travesti travolta traxdata treasure treefrog treehous treetops
        trekbike trfnthbyf triangle triathlo tribbles tricolor trident1 triforce trigger1 trillian trim7gun trinitro trinitron trinity1
        trinity3 triplets tristan1 tristram triumph1 trojans1 trombone trompete trooper1 trooper2 troopers trotters trouble1 trouble2
        trousers trucker1 truckers trucking truckman trueblue truegrit truelove truffles trumpet1 truskawka trustn01 trustno1 trustnoo
        trustnoone tryagain ttttttt1 tubitzen tuczno18 tuesday1 tujazopi tujheirf tunafish tupacshakur tuppence turambar turandot turbo911
        turbodog turkey50 turtoise tvxtjk7r twilight twinboys twinkles twinturb twisted1 twisters twizzler twogirls tyler123 tyrik123
        tyson123 u4slpwra uaeuaeman ubvyfpbz uekmyfhf ufdibyjd ufgyndmv ufhhbgjnnth ufhvjybz ufkfrnbrf uhbujhbq uhtqneyu uiegu451 ujhjl312
        ujkjdjkjvrf ukflbfnjh ukflbjkec ultimate ultra123 ultraman umbrella unb4g9ty uncencored unclebob unclesam underdog undergro
        underhil underpar undertak undertaker undertow underwat underwoo underwor unforgiv unforgiven unicorn1 universa universi unknown1
        unlimite up9x8rww urlacher ursitesux username usethis1 usmarine usmc0311 usmc1775 usuckballz1 utahjazz utjuhfabz utjvtnhbz
        uto29321 utyyflbq uuuuuuu1 uvmrysez vacation vader123 vagabond vakantie valdemar valdepen valentin valentina valerie1 valeriya
        valhalla valkiria valkyrie valleywa vampire1 vancouve vandamme vanechka vanessa1 vangelis vanguard vanhalen vanilla1 vanyarespekt
        varadero vaseline vasileva vasilina vasilisa vasilisk vatoloco vauxhall vaz21093 vaz21099 vbhjckfdf vbitymrf vbnhjafy vegas123
        vehpbkrf velosiped vendetta venezuel vengence venom121293 venom123 ventura1 verbatim verboten vergesse vergeten veritas1 veritech
        verizon1 vermont1 verochka veronika veroniqu verycool verygood verygoodbot verymuch verynice verysexy vetteman vfhbfyyf vfhbyjxrf
        vfhecmrf vfhnsirf vfhnsyjdf vfhufhbnf vfhufhbnrf vfhvtkfl vfhvtkflrf vfiekmrf vfitymrf vfkmdbyf vfktymrfz vflfufcrfh vfnbkmlf
        vfnhjcrby vfntvfnbrf vfpfafrf vfrcbv123 vfrcbvec vfrcbvev vfrcbvjd vfrcbvjdf vfrcbvrf vfrcbvvfrcbv vfrfhjdf vfrfhjys vfuyjkbz
        vfvekbxrf vfvektxrf vfvf2011 vfvfbgfgf vfvfgfgf vfvfgfgf123 vfvfgfgfz vfvfktyf vfvfvskfhfve vfylfhby vfylfhbyrf vfyxtcnth vg08k714
        vibrator vicecity victoire victoria1 victory1 videogam videoman viewsoni viewsonic vika1996 vika1998 vika2010 vika2011 vikings1
        viktoria viktorija viktoriy viktoriya villevalo vinbylrj vincent1 vinograd vintelok violator violetta viper123 vipergts viperman
        virginie virtuagirl vishenka visigoth vitalik1 vitalina vittoria vittorio vivahate vivitron vjhjpjdf vjhrjdrf vjnjhjkf vjqgfhjkm
        vjzctvmz vjzgjxnf vkontakte vlad1234 vlad1994 vlad1995 vlad1996 vlad1997 vlad1998 vlad7788 vladimir vladimir1 vladislav vladislava
        vladvlad vodafone voldemar volgograd volition volkodav volkswag volkswagen volleyba voltaire voluntee volvo240 volvo850 volvos40
        volvos80 volvov70 vonnegut voronina vova12345 vovochka voyager1 voyager2 vqsablpzla vsevolod vsjasnel12 vthctltc vtufgjkbc
        vurdf5i2 vw198m2n vyjujnjxbt w1234567 w1w2w3w4 w2dlww3v5p w8gkz2x1 wachovia wachtwoord waffenss waheguru wakeboar waldemar
        walhalla walkman555 wallace1 walleye1 wallpape wallstre wallstreet walter34 wanderer wantsome wapapapa war3demo waratsea warchild
        warcraft warcraft1 warcraft3 wareagle warehous wargames warhamme warhammer warhammer40k warlock1 warlord1 warrior1 warrior2
        warriors warszawa was.here wasdwasd washingt watchmen water123 waterboy waterfal waterloo watermel watermelon waterpol waterpolo
        waterski wavmanuk wayfarer wcksdypk wdtnjxtr weare138 weather1 webhompas webhompass webmaste webmaster websol76 websolutions
        webster1 websters wednesda weedhead weihnachte weihnachten wejrpfpu welcome1 welcome12 welcome123 welcome2 welcome8 welkom01
        wellcome welldone wellhung wellingt welshman wenef45313 werewolf weronika wert1234 werthvfy werty123 wessonnn westbrom westcoas
        westcoast western1 westham1 westlife westport westside westwind westwing westwood wetpussy wetwilly wetworks wg8e3wjf wharfrat
        whatever whatever1 whatisit whatluck whatthef whatthefuck whattheh whatthehell wheaties whiplash whirling whiskers whiskey1
        whisper1 whistler whiteboy whitedog whitehea whiteout whitepower whitesox whitesta whitetai whitetail whitewol whitewolf whitney1
        whoareyou whocares whoknows whoopass whosyourdaddy whynotme whytesha wideglid wideopen widespre wifey200 wiktoria wildbill
        wildblue wildcard wildcat1 wildcats wildfire wildman1 wildroid wildrose wildside wildstar wildthin wildthing wildwest wildwood
        william0 william1 william2 william3 william6 william7 william8 williamj williamm willie12 winchest windmill windows1 windows2
        windows9 windsong windsor1 windstar windsurf wingchun wingzero winner12 winnipeg261 winston1 winston2 winstons winter00 winter01
        winter11 winter12 winter99 winxclub wisconsi wishbone wishmaster withlove wizard12 wizardry wladimir wltfg4ta wmegrfux wnmaz7sd
        wolfgang wolfman1 wolfpack wolverin wolverine womersle wonderbo wonderboy wonderfu wonderwall wonderwo wonkette woodbird wooddoor
        woodduck woodland woodlawn woodpony woodsink woodstoc woodstock woodwind woodwork woody123 woofwoof wordlife wordpass workhard
        worksuck world123 worldcom worldcup worldwar worldwid wormwood wow12345 wowlook1 wp2003wp wpoolejr wrangler wrest666 wrestle1
        wrestlin wrestling1 wrinkle1 wrinkle5 wrinkles wrongway wtpmjgda wutang36 wwr8x9pu wwwwwww1 x4ww5qdr x72jhhu3z xaccess2 xakep1234
        xboxlive xcalibur xcountry xenocide xenogear xenophon xexeylhf xohzi3g4 xpressmusic xsvnd4b2 xsw21qaz xsw23edc xthtgfirf xufrgemw
        xxxxxxx1 xyh28af4 xzsawq21 yaglasph yamahar1 yamahar6 yamakasi yankeemp yankees0 yankees1 yankees2 yankees3 yankees4 yankees7
        yankees9 yanochka yanshi1982 yardbird yaroslav ybrbnbyf ybrbnf_25 ybrjkftd ybrjkftdbx ybrjkftdyf ycwvrxxh yeahbaby yeahrigh
        year2000 year2005 yellow12 yellow22 yes90125 yesterda yfcnfcmz yfcntymrf yfcnz123 yfcnzvjz yfcnzyfcnz yfdbufnjh yfeiybrb yfgjktjy
        yfltymrf yfnfitymrf ygfxbkgt yingyang yjdbrjdf yjdjcnbf yjdsqgfhjkm yjdsqujl yjdujhjl ym3cautj yogibear yorkshir yorktown yosemite
        youandme youngone yourmama yourmom1 yourname yousuck1 yqlgr667 yqmbevgk yr8wdxcq ytdxz2ca ytngfhjkz ytnhjufnm ytrhjvfyn ytyfdbcnm
        yujyd360 yvtte545 yxkck878 yy5rbfsc yyyyyyy1 yzerman1 z1234567 z123456789 z123456z z1x2c3v4 z1x2c3v4b5 z1z2z3z4 zacharia zachary1
        zaharova zanzibar zaphod42 zaq11qaz zaq12345 zaq123wsx zaq12qaz zaq12wsx zaq1xsw2 zaq1xsw2cde3 zaqwsx123 zaqwsxcde zaqwsxcderfv
        zaqxswcde zaratustra zasranec zaxscdvf zcxfcnkbdf zcxfcnkbdfz zebra123 zenit2011 zeppelin zerocool zesyrmvu zhjckfdf zidane10
        zigazaga ziggy123 zildjian zimmerma zinedine zippy123 zjses9evpa zldej102 zoidberg zolushka zombie13 zqjphsyf6ctifgu zrjdktdf
        zse4xdr5 zsecyus56 zucchero zx123456 zx123456789 zxasqw12 zxc12345 zxc123zxc zxcasd123 zxcasdqw zxcasdqwe zxcasdqwe123 zxcqweasd
        zxcv1234 zxcvasdf zxcvb123 zxcvb1234 zxcvb12345 zxcvbn12 zxcvbn123 zxcvbn123456 zxcvbnm. zxcvbnm1 zxcvbnm12 zxcvbnm123 zxcvbnmm
        zxcvbnmz zxcvfdsa zxcvvcxz zz123456 zz8807zpl zzxxccvv zzzxxxccc zzzzxxxx zzzzzzz1
        """
}
