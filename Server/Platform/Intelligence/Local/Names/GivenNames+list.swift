/// Given names of many countries in lower case, in Latin letters.
///
/// From Faker 40.54.0 (https://github.com/joke2k/faker), the lists `first_names` of its person providers. MIT licence, copyright (c) 2012
/// Daniele Faraglia; the licence's text is in docs/licences/faker.txt. Names that are everyday English words and not usual as names were
/// left out.
extension GivenNames {
    static let list = """
        aaaqil aaban aabid aachal aada aadam aadhya aadi aadil aafiya aage aahana aahil aalam aalee aalim aaliyah aamil aamir aamirah
        aanuoluwapo aapo aaqil aarav aarif aarini aariz aarna aarnav aarne aaro aaron aarush aaryan aarón aashi aashif aashir aasif aasim
        aatif aatiq aatos aaus aayan aayush aazim aba abaan abayomi abbas abbi abbie abby abdalla abdallah abdelkader abdi abdihakim
        abdirahman abdiş abdul abdulbekir abdulgazi abdulkadir abdullah abdullahi abdulmenaf abdulsemet abdurrahman abdülahat abdülcemal
        abdülhadi abdülkerim abdülsamed abdürreşit abebi abednego abeer abeiku abel abelardo abelone abena abeni abha abhimanyu abhiram
        abid abigael abigail abigaíl abilio abina abiodun abiona abiye abosede abraham abram abril abubakar abuzar abyasa acar acarkan
        achieng achille achim aclan ada adaeze adak adal adalbert adalberto adam adamo adan adasal ade adebiyi adebowale adebukola adedayo
        adedeji adekitan adekola adekunle adel adela adelaida adelardo adelasia adelbert adele adeleke adelgunde adelheid adelia adelin
        adelina adelinde adeline adelmo adem aden adenike adeniyi adeolu adeoti adepeju aderopo adesewa adeshina adesoji adesua adetayo
        adetoke adetoun adeyi adhiarja adi adiarja adigun adika adikara adil adila adina adinata aditya adlan adnan adolf adolfine adolfo
        adonis adora adoración adrian adriana adriane adrianna adrianne adriano adrien adrienn adrienne adrián adunni advaith advay advik
        advika adviye adweta adwoa adya adán adèle adélaïde adıgün aedan aedin aengus aenne afer afia afife afolarin aftin afua agapito
        agastya agata agatha agathe aggrey aglaia agne agnes agnese agneta agnete agnieszka agnolo agnos agnès agostino agripina agus
        agustin agustina agustín agáta ahat ahmad ahmed ahmet ahsen ahter ahti aida aidan aideen aiden aila ailbhe aileen aili ailis
        ailish aimee aimo aimé aimée aina ainara aine aino ainoa airi aisha aishani aishling aisling aislinn aisyah aitana aitor ajala
        ajan ajani ajeng ajiman ajimat ajimin ajiono ajoke akalan akanmu akar akarsana akatay akay akbaş akboğa akcivan akdora akdurmuş
        akgöl akgüneş aki akif akinkunmi akinlabi akinwale akinyi akise akkerman akmaner akmaral akos akosua akoth aksay aksel akseli
        akshay aksoy aksöğüt aktemür akua akumaa akver akwasi akwesi akyıldız akçabay akçasu aköz akınal alaaddin alabezek alade alaeddin
        alain alambana alamu alan alana alanalp alanis alanna alannah alastair alattin alaz alba alban albano alberico albert alberta
        alberte albertina albertine alberto albin albina albino albrecht albína alcan alcides alderano aldo aldonza ale alea alec
        alejandra alejandro alejo aleks aleksandar aleksander aleksandr aleksandra aleksanteri aleksej aleksi alen alena aleodor
        alessandra alessandro alessia alessio alex alexa alexander alexandra alexandre alexandria alexandrie alexandrina alexandros
        alexandru alexe alexei alexej alexia alexis aleš alf alfio alfons alfonso alfred alfredo algot algış ali aliabbas alice alicia
        alicja alida aliihsan alika alin alina aline alis alisa aliseydi alisha alison alistair alistar alister alix aliyu alize alka
        alkor alla allan allana allegra allen allison alma almast almira almudena almus almut almuth alois aloisia alondra alonso aloys
        alparslan alpcan alphonce alphons alphonse alphonsus alpin alpsü alsoy altoğan altuğ altınbike altınkaya altınçiçek altınışın alva
        alvar alvaro alve alvin alwin alwina alwine alyssa alícia alışık ama amada amadeo amadeus amado amador amahle amaira amalia amalie
        amancio amanda amandine amando amani amar amara amarachi amarilis amaro amaya amaç amber ambrose ambrosio amedeo amedeu amelia
        amelie ami amico amie amin amina aminatu amine amir amira amleto amoke amol amon amope amor amos amparo amre amrita amruta amy
        amza amélia amélie américa américo amílcar ana anabel anabela anacleto anaida anamaria anamika anargül anas anastacia anastasia
        anastasie anastasio anastasios anastatia anastazja anatol anatoli anatolie anatolij anay anaïs anca ancuța anda anders anderson
        andile andiç andor andra andrada andre andrea andreas andree andreea andrei andreia andrej andrena andres andrew andrey andri
        andrian andrija andrin andrzej andrás andré andréa andréas andrée andrés andy ane anel anemona anes aneta anett anette anežka
        angel angela angelica angelika angelina angeline angelino angelique angelita angelo anggabaya anghel anghelina angie angus angèle
        angélica angélique anh ani anica aniela anika anikó anirudh anisa anissa anita anișoara anja anjali anjolaoluwa anka anke ankica
        anmol ann anna annabel annabella annabelle annah annak annalena annaliese annalisa annalise annamaria annamária annastacia anne
        annedore annegret annegrete annekatrin anneke annelene anneli annelie annelies anneliese annelise annelore annemarie annemette
        annemie annemijn annerose annet annett annetta annette anni annibale annica annick annie anniina annika annikki annina annita
        annukka annunziata anny anom anouk ansaldo anselm anselma anselmo ansgar ansh anssi antal ante antero anthony antim antje anto
        antoaneta antoin antoine antoinette anton antonela antonella antonello antoni antonia antonie antonietta antonija antonina
        antonino antonio antonios antoniu antonius antony antti antun antónio antônio anu anunciación anusha anuța anvi anya anyango
        aníbal anđa anđela aodhan aoibheann aoibhin aoibhinn aoife aongus apaydın apolinar apollo apollonia apolonia apostolos april
        araceli aradhana aral aran aranka arcan arcelia arda argono argu arham ari aria ariadna arian ariana ariane arianne aribert arie
        ariel arif arifcan arike arild arin arina arinola aris aristide aristides aristița arja arjun arkadiusz arkut arlene arlette
        armahan armand armando armas armida armin arnaldo arnaud arnaude arnd arndt arne arnfried arnim arno arnold arnulf arnulfo aroa
        aron arpağ arran arron arsenie arsenio arsipatra art arta artan artanto artawan artemio artemisa arthur arto arttu artturi artur
        arturo aru arunima arvid arvo arya aryan arziye arzu aránzazu arıel arıkol arıpınar arısoy asafe asake asalet asbjørn ascensión
        asdrubal asger asha ashlee ashleigh ashlene ashley ashling ashton asiman asirwada asirwanda asko aslanhan aslijan asliye asma
        asmadi asman asmianto asmuni assar assumpta asta aston astrid asu asunción aswani asım atagün atalay atanur atasagun atatöre atena
        atenulf atfat atgun athanasios atharv atheel athman athuman ati atieno atilhan atilio atinuke atiyye atma atmaja atnan attaf atte
        attila attracta atılgan aud aude audrey august augusta auguste augustin augustina augustine augusto aukusti aulikki aulis aune
        aura auraq aurel aurelia aurelian aureliana aureliano aurelio aurica aurică aurora aurore aurélie austin austine autumn ava averil
        avi avni avram avril avunç avşin awadil awamil awamiri awan awani awero awesi awj awlya awmar awrad axel axelle axenia axinte aya
        ayaan ayamin ayasun ayaydın aybet aybora aycagül aydar ayden aydinç ayduru aydınbey ayesha aygutalp aygönenç ayhan ayinde ayinke
        aykut aykutalp ayla aylil aylin aylla aynilhayat aynur aynımah ayodeji ayodele ayoka ayoub aypar aysar ayse aysel aysema aysevim
        aysoy aysuna aytek ayten aytuna aytöz ayu ayub ayush ayushman ayvas ayyaruk ayyubi ayçan ayülker ayşan ayşeana ayşenur azaan azad
        azade azahar azahara azalea azban azeeb azeglio azeneth azettin aziz azize azra azucena açıkel açılay ağakişi ağbegim ağmur aşhan
        aşir baaba baahir baaizeed baaqee baaqir baaree baashir baasim baasit babar babasola babatunji babawale baber babett babette
        baccio bachittar badawi badegül badr bagas baghyawati bagiya bagus bagya baha bahaa bahaddin bahadurjit bahati bahittin bahtinur
        bahuraksa bahuwarna bahuwirya bailey bailie bairbel bairbre bajragin bakari bakda bakhshi baki bakiadi bakianto bakidin bakijan
        bakiman bakiono bakti baktiadi baktianto baktiono bala balamantri balangga balapati balatekin balca baldassare baldomero balduino
        baldur baleegh balendra balhaar bali balidin balijan baljiwan ballı baltasar baltaş balthasar balvan balveer balázs bambad bambang
        banara banawa banawi bancar bandile banjeet banü baptist baptiste baqar baqir bara barak baraka barasa barbara barbora barbro
        barbu barica bariş barkha barna barnabás barr barraq barry barsen bart bartek bartholomew bartholomäus bartley bartolomeo
        bartolomeu bartolomé barışcan bas basaam basarab baseer basel basem bashaar bashaarat bashar basharat basheer basheerah basil
        basilio basim basir basriye bassam bastiaan bastian bastien basım batal batool baturay batırhan baudelio bautista baydu baykan
        bayman bayram bayron bayruhan baytal bayzettin bazam bağdat bağdaş başay başhan başok beata beate beatrice beatrix beatriz beau
        bebe becky bedi bediriye bedri begim begoña behiza behrem bekbay bekir bektaşi bela belen belgizar belinda belkize bella bellisan
        bello belén ben benard bence bendegúz benedek benedetto benedict benedicte benedikt benedikte benek bengibay bengt beniamin benice
        benicio benigna benigno benita benito benjamim benjamin benjamín benjámin benn benno benny benoit benol benone benoît benson bent
        benta bente benthe bento benvenuto benício beppe berat beray beren berend berenice berezat bergen berit beriye berkal berki
        berksay bernabé bernadett bernadette bernadine bernard bernarda bernardino bernardita bernardo bernd berndt bernfried bernhard
        bernhardine bernice bernt bernward berran berrin bert berta bertalan bertha berthe berthold bertil berto bertold bertram bertrand
        beryl besey besin beste betania beth bethan bethany betina bett betti bettina betty beverley beverly beyda beyhatun beyler beyzade
        bezek beáta bhanumati bhavani bhavika bhavini bhavna bhavya bhekani bhekisisa bhekizizwe bhekokwakhe biagio bianca bianka bibi
        bibiana bican bidayet bienvenida bilaal bilal bilay bilender bilgen bilginur bilgütay bilha biljana bilkay bilkisu bill billy
        biltaş bimala bina binay binbaşar binışık birben birger birgid birgit birgitt birgitta birgitte birgül birousk birsan birsen birte
        birthe biserka bishakha bitten bitül bizhan bişar bjarne bjorn björn bjørg bjørn bladimir blahoslav blaine blake blanaid blanca
        blanduzia blanka blas blathnaid blažena blessing bo boaz bob bobby bodil bodo boe boel bogdan bogdana boglárka bohumil bohumila
        bohumír bohuslav bojan bolatito boleslav boluwatife bonface boniface bonifacio bonnie borahan borataş borbála boris borja borris
        borys bosibori botond boynak bozbağ bozena bozerk boztaş boğatimur božena božica božo brad bradley brady brahim bram bramwel
        brandi brandon brandy branislav branka branko bravin brayan breandan breanna breda breeda breege breffni brenda brendah brendan
        breno brent brett brian briana brianna brid bridget bridgit bridie brien briget brighid brigid brigita brigitta brigitte brijesh
        brinda brit brita britt britta brittany brittney brogan brona bronach bronagh bronwen bronwyn brooke brooklyn bror bruce bruna
        brunhild brunhilde bruni brunilda bruno bryan bryce bryony brândușa brígida brăduț bucur budi buenaventura buhari bulunç bunmi
        buraid burakhan burckhard burcuhan burghard burkard burkhard burkhardt burç busisiwe buyrukhan buşra bálint bárbara bärbel
        béatrice béla bénédicte börje börteçin bøje børge büget bünyamün büreyre büşranur bănel błażej bảo cabir cagak cager cahal cahir
        cahya cahyadi cahyanto cahyo cahyono cailin cailum caio cait caitlin caitlyn caitriona caius cajsa caket cakrabirawa cakrabuana
        cakrajiya cakrawala cakrawangsa cal calcedonio caleb calebe calista calisto calixta calixto callan callum calogero calum calvin
        calvince camelia cameron camil camila camilla camille camillo camillus camilo canal canan canberk candace candela candelaria
        candelario candelas candeniz candice candra candrakanta canfeza cangür canice cannur canseven cansin cantemir cantez canur
        caoilfhionn caoimhe caoimhin caolain caolan caomhan capa capucine cara caragh caraka caren caridad carin carina carine carita carl
        carla carlijn carlito carlo carlos carlota carly carmel carmela carmelita carmelo carmen carmina carmine carol carola carole
        carolin carolina caroline carolyn carolyne carren carrie carsten carter carub cas casandra casemiro casey casian casiana casper
        cassandra cassidy cassie catalina catarina caterina cathal catharina catherina catherine catheriona cathleen cathrin cathrina
        cathrine cathriona cathy catinca cato catrin catrina catrine catrinel catriona catur caturangga cauã cauê cavit cawisadi cawisono
        cawuk cayadi cayetana cayetano cazimir ceara cebesoy cebrián cecelia cecep cecil cecilia cecilie cecilio cecília cedide cedric
        cedrin ceferino celal celene celestina celestine celestino celia celilay celina celine celso cemal cemalettin cemani cemeti cemil
        cemiyle cemplunk cenan cengiz cengkal cengkir centa centrine cerasela cercis cesar cesare cetin cevale cevheri ceyhun ceylin cezar
        cezara cezary cezayir chaaya chad chaitaly chaitanya chakradev chakradhar chakrika chamali chaman chameli champak chanakya
        chanchal chandani chandra chandran chandresh changaz chantal chantel chantelle charan charis charita charity charlene charles
        charlesh charlie charline charlott charlotta charlotte charly charmaine charo charvi chase chashida chasmum chatresh chatura
        chavvi chawish chebet chege chelangat chelo chelsea chelsey chema chepkemoi chepkoech chepkorir cheragh cherie cherith cherotich
        cheruiyot cheryl cheyenne chi chiamaka chiara chibuzo chidimma chigozie chijioke chinedu chinelo chinyere chita chizoba chloe
        chloé chloë chris christa christabel christel christelle christer christian christiana christiane christianne christie christin
        christina christine christl christof christofer christoffer christoph christophe christopher christos christy chucho chuck
        chukwudi chukwuemeka chus chuy châu cian cianan ciaobella ciara ciaran ciarrai cici cihan cihandide cilli cillian cilly cindoruk
        cindy cinta cinthia cintia ciprian cipriana cipriano ciriaco cirillo cirino cirkeline ciro ciríaco citlali citra claas claes clair
        claire clara clare clarence clarice clarisa clarissa clarisse clark clas claude claudette claudia claudine claudio claudiu
        claudius claudy claus clavs clay clayton clelia clemens clement clemente clementina cleopatra cleophas cleto clifford clinton
        cliodhna cliona clive clodagh cloe clotilde cläre clémence clémentine clímaco codie codin codrin codrina codruț codruța cody cole
        coleman colette colin colins colleen collette collin collince collins colm colman colton coluccio colum columba comfort conal
        conall conan concepción concepta concetta concha conchita conchur conleth conn connell connie connor conny conor conrad conrado
        consolata constance constantin constantina constanza constanze constanța consuela consuelo cora coral coralia coralie cord cordula
        corey corina corine corinna corinne coriolano cormac cormack cornel cornelia cornelio cornelis corneliu cornelius corona corrado
        corrie cortney corvin cory cosima cosimo cosmas cosme cosmin cosmina costache costantino costanzo costel costin courteney courtney
        coşkun craig crenguța crescencia crin crina cristal cristea cristhian cristian cristiano cristina cristobal cristofor cristóbal
        cruz crystal csaba csilla csongor ctibor cuheyna cuman curro curt curtis custodia custodio cynthia cyprian cyril cyrille cyrus
        czeslaw cándida cándido cäcilia cäcilie cécile cédric célestin célia célina céline césar cüneyit călin cătălin cătălina daamin
        daan daanish daanyaal daawood dabbah dabir dacian daciana dacin dadap dadi dafina dafne dag dagel daghfal dagmar dagmara dagny
        dagobert dagoberto daiana daire dairine daisy daiyaan dajana dakhil dakota daksh daksha dakshesh dalaja dalan dalbir dale dalia
        dalibor dalila dalima daliman dalimin daliono dalkılıç dalmas dalton damar damaris dameer damian damiano damien damife damini
        damir damián damjan damlanur damon damu damurah damyanti dan dana danang dancan dancun dani danica daniel daniela daniele daniella
        danielle danijel danijela danilo danique danish daniswara danièle daniël danjuma danny danson dante danu danuja danuta dany danış
        daphne dara daragh darain darcy daren daria dariana dariati darijan darika darimin darin darina dario darius dariusz darko darlene
        darmaji darman darmana darmanto darpan darragh darran darrell darren darrin darryl darsh darsirah dartono daru daruna darwin
        daryani daryl darío dasa dastageer daud daudi dave davi david davida davide davin davis davnet davor dawid dawn dawud dayamai
        dayana dayar dayita dayna dayyaan dağistan deaglan dean deane deanna dearbhail dearbhaile dearbhla debbie debora deborah deborrah
        debra decebal declan deepa deha deidre deirbhile deirdre deisy dejan delfina delfino delia delil delphine demetra demetrio demi
        demilade demirbüken demiriz demirok demiryürek denis denisa denise deniz denizalp denkel dennis denny dereck derek derick derkay
        dermot dermott derrick derval dervilla dervla deryanur desiderio desiree desirée desmond despina destiny detlef detlev devansh
        devi devika devin deviner devon dewi dex deyanira dezső değer değmeer dhriti dhruv diah diamond dian diana dianah diane diann
        dianne diarmaid diarmuid dick dickson dida didier didina diedrich diego dierk dieter diethard diethelm diether dietlind dietlinde
        dietmar dietrich digdaya diken dilara dilcan dilder dilfeza dilhuş dillon dilsitan dilşat dimas dimaz dimitri dimitrina dimitrios
        dina dinah dincer dinda dino dinu dinçkol dinçsü diogo dion dionigi dionisia dionisio dionne dipa dipta dirican dirja dirk dirlik
        dismas ditmar ditte dittmar divan divya diya diána dobroslav dochia dodo dogan doina dolores dolphine dolun dom domagoj domenica
        domenico domhnall dominga domingo dominic dominick dominik dominika dominique domitila domnica don dona donagh donal donald donata
        donatella donatello donato donna donnacha donncha dono donough dora dorcas dorcus doreen dorel dorian doriana dorin dorina dorine
        dorinel doris dorit dorita dorle dorli dorota dorotea dorothe dorothea dorothee dorothy dorothée dorottya dorte dorthe doru
        dorukhan douglas doyinsola doğanalp doğannur doğanşah doğuhan draga dragan dragica drago dragoș dragutin drahomíra drahoslav
        drahoslava drajat dražen drew duane ducu duha duilio duje duke dulce dumisani dumisile dumitra dumitrana dumitru duncan dunja
        durab duracan durante durdali durgadin durmuşali durodola dursadiye dursun duruk duruöz dusan dustin duuk duyguhan duyên dušan
        dwayne dwi dylan dylano dymphna dympna dániel dávid débora déborah dénes désirée dóra dölensoy döner dörte dörthe dündaralp
        dürrüşehvar dũng dương eadaoin eamon eamonn eanna earl eavan eba ebba ebbe eberhard eberhardt ebony ebuakil ebuka ecaterina ecegül
        ecemiş eckard eckart eckehard eckhard eckhardt eckhart ecrin eda edaviye edda eddah eddie eddy edel edelbert edelgard edelmira
        edelmiro edeltraud edeltraut edeltrud eden eder edgar edgard edgardo edgübay edhitha edi edin edina edinah edinson edison edita
        edith editha edmond edmund edmundo edna edoardo edouard eduard eduarda eduardo edvard edvin edward edwin edwina eelis eemeli eemil
        eerik eero eesaa eesha eetu eeva efe efil eflâtun efraín efser eftimia eftimie ega egbert egenur eggert egil egon ehan ehrenfried
        ehrentraud ehrhard ehsaas ehsan eija eijaz eila eileen eilis eilish eimear eimer eimhear einar einari einer eino eira eiravati
        eirik eitel eithne eivind eivor eja ejaz ejlaal eka ekaja ekalinga ekani ekansh ekanta ekantika ekapad ekaraj ekaterina ekavir
        ekbal ekber ekene ekiya ekkehard ekkehart ekmel eko ekow ekrem ekta ekundayo ela eladio elaf elaine elamiye elba eldar eldon elea
        eleanor eleanora elemér elena eleni elenore eleonor eleonora eleonore eleuterio elfi elfie elfriede elgin elhan eli elia eliabeth
        eliana eliane elias elie eliecer elif elifnur eligia eligio eliisa elijah elin elina eline elinor elio elis elisa elisabet
        elisabeta elisabeth elisaveta elise eliseo elisha eliud eliza elizabeta elizabeth elize eliška elkana elke ella elladio ellen elli
        ellie ellinor elliot elliott ellis elly elma elmar elmer elmeri elmo elna elnur eloah elodia elodie elof eloi eloisa eloise elon
        elosy eloy eloá eloísa eloïse elphas elpidio elsa elsbeth elsebeth elsie elsy elton eluh elva elvan elvia elvin elvina elvira
        elvis elvy elvíra elwira elza elzbieta eléonore elías elöve elżbieta ema emal eman emanoil emanuel emanuela emanuella emanuelly
        emanuil emas embuh emeka emelie emelina emer emerson emese emigdio emil emile emilia emilian emiliana emiliano emilie emilija
        emilio emilly emily emin emine emir emirşan emiş emma emmaculate emmah emmanuel emmanuelle emmerich emmet emmett emmi emmy emong
        emperatriz empluk emran emrullah emília enar encarna encarnacion encarnación encarnita enda endah endra endre enea enes enfes
        engelbert engin enginiz engla enikő eniola enna ennio enno enock enrico enrique ensari ensio enteng enver enya enzio enzo eoghan
        eoin ephantus epifanio eral eraldo erasmo erastus eraycan erbay erbil ercan ercihan erdal erdemer erdibay erdmute erdogan erdursun
        erem eremia eren erenalp erensoy ergener erginel ergönül ergül ergün erhard erhardt eric erica erich erick erik erika erin erina
        erinçer eriş erkan erkinel erkki erksoy erkılıç erland erling ermanno ermenegildo ermes ermutlu erna ernest ernestina ernestine
        ernesto ernst ernő erol eroğul ersel erseç ertan erten ertuncay ertün ervaniye ervin erwin eryk eryn eryıldız erzsébet eröz erşat
        esa esben esenbay esengün esentürk esfandyar eshan eshana esi esila eskil eskinalp esko esmanperi esmarelda esmee esmeralda esmée
        esna esparta espartaco espen esperanza espiridión esra essi esteban estefanía estela estella estelle ester estera esteri esther
        estiawan estiono estrella esupofo eszter eta etelka etelvina ethan ethel ethna ethne etienne etizaaz etta ettore euan eufemia
        eufrosina eugen eugene eugenia eugenie eugenio eugine eugène eugénie eulalia eunan eunice eusebia eusebio eusebiu eustaquio
        eustațiu eutimio eutropio eva evald evaline evalyne evamaria evan evance evangelia evangelina evangelista evangelos evanghelina
        evans evaristo evcimen evde eve evelia evelien eveliina evelin evelina eveline evelio evelyn evelyne everline everlyne evert evi
        evie evita evrim evrimer evy ewa ewald ewan ewatomi ewelina eyyüp ezekiel ezequiel ezgin ezgütekin ezio ezra eşim eşref faas fabia
        fabian fabiana fabien fabienne fabio fabiola fabián fabiënne fabrice fabricio fabrizia fabrizio facundo fadekemi faderera fadile
        fadime fadıla fahmi fahrullah fainche faith faizah faizan faize falak falan falguni falk falko fami fanni fanny faqid farah faraj
        faras farhan farhunnisa farid farida fariq faris fariz faruk fathonah fatigül fatih fatiha fatima fatinur fatma fatmanur fatuma
        faustino fausto fay faye fayize fazli fazul feargal fearghal febe febi fedde fedele feden federica federico federigo fedor fehim
        fehintola fehmiye feisal felicia feliciana feliciano felicidad felicitas felicity feline felipa felipe felisa felista felister
        felistus felix felizitas fem femke fenna fenne fenni ferahdiba ferat feraye ferdi ferdinand ferdinando feremez ferenc fergal
        fergus ferhan ferihan ferinaz fermuta fermín fernand fernanda fernande fernando fersan feryas ferzi festus fetullah feyha feyruz
        feyzin feza fiachra fiamma fibikemi fidaye fidel fidela fidelis fidelma fidvi fien fiene fiifi fikayomi fildan filip filipa filipe
        filippa filippo filit filiz filofteia filomena finbar finbarr finian finn finola fintan fiodor fiona fionan fionna fionntan
        fionnuala fionnula fiorenzo fiorino firdevis fitan fitnat fito fitria fitriani fiyaz flannan flavia flavio flaviu flemming fleur
        floare floarea floortje flor flora flore florea florence florencia florencio florent florentin florentina florentine florentino
        florența florian floriana floriane florica florin florina florinda floris folashade folke folker folkert folu fortunata fortunato
        frado fran franca france frances francesca francesco francia francine francis francisc francisca francisco franciska franciszek
        franck franco francoise franjo frank franka franklin frankline franky frans františek františka franz franziska françois françoise
        frauke frazer fred freda freddy frede frederic frederick frederik frederike frederikke frederique fredi fredo fredric fredrick
        fredrik fredrika fredy freia freja freya frida fridah fridolin frieda friedbert friedemann frieder friedericke friederike
        friedhelm friedhilde friedhold friedl friedlinde friedo friedrich frithjof fritz frode frusina fryderyk frédéric frédérique
        fulgencio fulvio fuma fuzuli fábio fátima féline félix fügen gabel gabi gabino gabor gabriel gabriela gabriele gabriella gabrielle
        gabrielly gaby gada gadang gading gaduh gael gaetano gagan gaia gail gaiman gaja gala galak galang galar galasso galih galina
        galiono galip galo galuh galur gaman gamani gamanto gambira gamblang gambo ganda gandewa gandi ganep ganga gangsa gangsar ganiye
        ganjaran gantar gara garan garang garda garech gareth garima garret garreth garrett garry garvan gary gaspar gaspare gasti gaston
        gastone gastón gathoni gatot gatra gaurang gaurangi gaurav gauri gaurika gautam gautami gavan gavin gawati gayathri gazel gaël
        gaëlle gbadebo gbolahan gbowoade geanina gearoid gebhard gedion geert geetika geir gelengül gelsomina gelu gema gemma genaro
        gencaslan gene genevieve geneviève genoveva genta gençay gențiana geoffrey geofrey georg george georgel georges georgeta georgette
        georgia georgian georgiana georgina georgine georgios gerald geraldine geraldo gerard gerardine gerardo geray gerd gerda gerdi
        gereon gerfried gergely gergő gerhard gerhardt gerhart gerhild gerlind gerlinde germaine german germana germán gernot gero gerold
        gerolf geronimo gerrard gerrit gerson gert gerta gerti gertraud gertraude gertraut gertrud gertrude gertrudis gervasio gerwin
        gerónimo gesa gesare gesche gesine geta getrude geza ghaalib ghaazi ghaffaar ghafoor ghaith ghalib ghaliyati ghanee ghanem ghani
        ghannam ghasaan ghauth ghawth ghayoor ghazalan ghazanfar ghazanfer ghazawan ghazi ghazzal ghenadie gheorghe gheorghiță gherghina
        ghislain ghislaine ghiyaath ghiyath ghiță ghufran ghulaam ghulam ghunayn ghusharib ghusun ghutayf giacinto giacobbe giacomo giada
        giampaolo giampiero gian giancarlo gianfrancesco gianfranco gianina gianluca gianluigi gianmarco gianna gianni gianpaolo
        gianpietro gibson gicu gică gideon giel giesela gifty gijs gil gilang gilbert gilberte gilberto gilda giles gilles gillian gillis
        gilman gina ginette gino ginyas gioacchino gioachino gioele gioffre gioia gion gionata giorgia giorgian giorgiana giorgio giosuè
        giovanna giovanni giovanny girik girindra girish girolamo gisa gisbert gisela gislinde gisèle gitau githinji gitonga gitta gitte
        giulia giuliana giuliano giulietta giulio giuseppa giuseppe giuseppina giustino giz gizella gladys glauco glen glenda glenn gloria
        godfrey godofredo godwin goffredo gohar goncafer gonzalo gonçalo gopal goran gordan gordana gordon gorm gottfrid gottfried
        gotthard gotthilf gotthold gottlieb gottlob goyo grace gracia graciana graciano graciela graeme graham grainne grania grant grazia
        graziano graziella grazyna grațian grațiana grațiela greca greco greg greger gregg gregor gregorian gregorio gregory greta
        gretchen grete gretel grethe gretl gretta grigore griselda grit gro grzegorz grégoire grégory gréta guadalupe guarino gudrun
        gudula guenter guenther guglielmo gugu gugulethu guido guilherme guillaume guillermina guillermo guiomar guiseppe gulab gulfaam
        gulfam gulshan gulzar gunar gunbir gunborg gunda gundel gundhild gundi gundolf gundula guneet guney gunhild gunilla gunn gunnar
        gunnel gunner gunter gunther guntram gunvor gurli gus gustaf gustav gustavo gustaw gusti gusztáv guus guusje guy gwen gwendolen
        gwendoline gwendolyn gyda gyula gyöngyi györgy györgyi győző gábor gérald géraldine gérard géza gök gökay gökbudun göken göknur
        gökperi göksev gökten gökçe gökçebalan gökçil göli gönen gönül göran görgünay görklü görsev gösta göte götz gözel gözem gücal gül
        gülay gülağa gülbani gülbeyan gülbiye gülcegün güldam gülder güldünya gülel gülenay güler gülev güleğen gülfari gülfeza gülgen
        gülgüzel gülhisar gülinaz gülkadın güllühan gülmisal gülnaziye gülper gülsalın gülselin gülsen gülseren gülsevil gülsiye gülsü
        gülten gülter gülzadiye gülçe gülözge gülüs gülşa gülşahin gülşeref gümüştekin günar günaydin günden gündüzalp günebakan güneri
        güngördü güngören günkurt günsel günser günter günther günver günşen gürarda gürcüye gürelcem gürsal gürten güverçin güzey güçal
        güçlüer güçyeter habiba habibe habibu haciali hacile hadassa hadi hadija hadiza hadrey hafsa hafsat hafshah hafıza hagen hailey
        hairyanto hajnalka hajo hakan hakikat halenur haley halidun halil halim halima halina haliye haluk hami hamid hamima hamish hamisi
        hamiyet hampus hamsini hamza hamzah hana hanbiken hanedan hani hanife hanim hanna hannabel hannah hannchen hanne hannele hannelore
        hannes hanni hanno hanns hannu hanny hanora hans hansgeorg hansjoachim hansjörg hansjürgen hanspeter hansultan haralamb haralambie
        harald harbinaz hardana hardi hardik hardy hari harimurti harinakshi harini harish harita hariz harja harjasa harjaya harjo harm
        harnail harold haroldo haron harri harriet harrison harro harry harsana harsanto harsaya harsh harshil hartaka hartana hartmut
        hartmuth harto hartwig harun haruna harvey hasan hasbek hasgül hasim hasna hasret hassan hasso hasta hatem hatice hatin hauwa
        havali havse hawa hayali hayden haydée hayel hayleigh hayley hayret hayrünnisa hazeem hazel hazine hazrat heather hector hedda
        hedi hedvig hedvika hedwig hedy hege heide heidelinde heidelore heidemarie heiderose heidi heidrun heidy heike heikki heiko heimo
        heiner heinfried heini heino heinrich heinz heitor hekime hekmet helan helen helena helene helfried helga helge heli helinä
        heliodoro hella helle hellen hellena hellevi hellmut hellmuth helma helmar helmer helmi helmtrud helmut helmuth heloisa heloísa
        helvi helén heléne hema hemal hemang hemangini hemani hendra hendri hendrik henife henna henner henni henning henny henri henric
        henrieta henrietta henriette henrik henrike henrikki henrique henry henryk heracleea heraclio herbert herberto herdis heribert
        heriberto herlinde herma herman hermann hermanni hermelinda hermenegildo hermes hermine herminia herminio hermína hernando hernán
        herrmann herta hertha heru hervé herwig heryanto hesbon hesti heva heyvetullah hezniye hezron hidde hidir hilario hilary hilayda
        hilda hildah hildburg hilde hildegard hildegart hildegund hildegunde hilding hilkka hillary hillevi hilma hilmar hiltraud hiltrud
        himawan hindal hinet hinrich hipólito hiral hitesh hiçsönmez hjalmar hjalte hjördis holger hollie holly holm homero honora honoré
        hope horacio horațiu horea horia horst hortense hortensia hosea howard hoàng hoşkadem hredhaan hritik hrvoje huban hubert
        hubertine hubertus hudavent hugh hugo hugues huguette hulda humaira humberto humphrey hunalp hunor hunter hurican hurşide hussein
        huy huzaifa huzuri håkan håkon håvard héctor hélène hüda hükümdar hülya hümeyra hürdoğan hürmet hüryaşar hürüyet hüseyin hüsmen
        hüsnühâl hıfzullah hưng hương hạnh hải hồng iacob iain ian iancu ianis iasmina ibaad iben ibidapo ibironke ibn ibolya ibraaheem
        ibraheem ibrahim ibrani ibun ibán ica icha ida ide idika idrees idris idun idık ieremia iesa ieva ifa ifeanyi ifechukwu ifeoma
        iftikhaar iftikhar ifunanya ige ignace ignacia ignacio ignacy ignatz ignaz ignazio ignác igor ihab ihsaan ihsan ihtesham ihtiram
        ihtishaam ihtsham iida iiris iisakki ijaya ijli ika ikbal ikenna ikeoluwa iker ikhlaas ikhsan ikin ikraam ikramah ikrimah ikshita
        ilan ilari ilaria ilarie ilarion ildefonso ildiko ildikó ildız ileana ilenia ilgı ilhan ilias ilie ilija ilinca ilja ilka ilkka
        ilmari ilona ilonka ilsa ilse ilyas imam imane imaran imelda imke immaculate immo imran imre ina inaya indah indali india indira
        indra indrajit indy ines ineta inez inga ingalill ingbert inge ingeborg ingeburg ingegerd ingegärd ingela ingelise ingelore
        ingemar inger ingetraud ingetraut ingmar ingo ingolf ingrid ingrida ingried ingvar inioluwa inka inken inkeri inmaculada inna
        innocent inocencio inocențiu insa intan inès inés inês ioan ioana ioanina ioannis iolanda ion iona ionel ionela ionelia ionică
        ionuț iosefina iosif ippazio ira irena irene iretioluwa irfan iriana iridenta irina irine irinel iris irja irma irmela irmeli
        irmengard irmgard irmhild irmi irmingard irmtraud irmtraut irmtrud irnanto irsad irungu irwan irya irène irén iréne irıs isa isaac
        isaack isabel isabela isabell isabella isabelle isabelly isac isack isadora isaiah isak isaque isaura isaías ise iseoluwa isha
        ishaan ishani ishanvi ishita ishola ishwar isidor isidora isidoro isidro isis ismael ismail ismet ismo ismık isobel isolde israel
        issa issack istvan istván ita itzel itziar iulia iulian iuliana iuliu iurie iustin iustina iustinian iva ivan ivana ivanka ivar
        iver iveta ivica ivka ivo ivona ivone ivonne ivor ivy iván iwan iwo iwona iyabode iyadunni izaaz izabela ize izidor işin işıkay
        işıman işın jaabir jaafar jaakko jaan jaana jabal jabbaar jabir jabr jabulani jacek jacinta jacintha jacinto jack jackie jackline
        jackson jacky jaclyn jacob jacobine jacobo jacopo jacqueline jacques jad jade jadranka jadwiga jael jaeman jafar jafet jaffer jaga
        jagapati jagaraga jagat jagdish jagrati jagvi jahangir jahanzeb jahdami jahdari jahiz jahm jai jail jaiman jaime jair jairaj jairo
        jairus jais jaka jake jakob jakov jakub jalaal jalal jalees jalil jalmari jalsa jamaal jamal jamalia jameel james jamie jamil
        jamila jan jana janaki janani jane janet janeta janeth janett janette jani janice janick janik janin janina janine janis janja
        jankat janko jann janna janne janni jannie jannik jannis jano janos januja janus janusz janya japhet japheth jaqueline jara jared
        jari jarkko jarl jarlath jarleth jarmila jarmo jarno jaromír jaroslav jaroslava jaroslaw jaruthip jarwa jarwadi jarwi jasmani
        jasmijn jasmin jasmina jasmine jasminka jasmit jasna jason jasper jaswadi jati jatin jatmiko javan javi javier javiera jay jaya
        jayadi jayda jayde jayden jayeng jaylinn jayne jayson jazmín jean jeana jeanette jeanine jeanne jeannette jeannine jebet jecinta
        jedidah jeet jeevika jeff jefferson jeffery jeffrey jefri jeison jelagat jele jelena jelita jelle jelte jemimah jemma jemutai jena
        jenaro jenel jenifer jeniffer jenipher jenna jenni jennie jennifer jenny jens jente jenő jepchirchir jepchumba jepkemoi jepkoech
        jepkorir jepkosgei jeppe jeptoo jere jeremi jeremiah jeremias jeremy jeremías jerker jermaine jermiah jerome jerono jerop jerotich
        jerry jerson jeruto jerzy jerónimo jesca jesper jesse jessica jessie jessika jessy jesus jesusa jesús jet jhalak jhoan jhon
        jhonatan jhonny jill jillian jim jimena jimmie jimmy jinawi jindra jinthe jip jiri jo joachim joacim joakim joan joana joann
        joanna joanne joao joaquim joaquina joaquín joash jobst jocelyn jocelyne jochem jochen jodi jodie jody joe joel joep joerg joey
        johan johana johann johanna johanne johannes johans john johnathan johnnie johnny johnson johnstone johny joko jolana jolanda
        jolanta jolanthe jolene jolie jolijn joline jolán jon jonah jonas jonatan jonathan jonathon joni jonna jonny jono jonás jonáš
        joojo joona joonas joonatan joost joram jordan jordana jordi jordon jordy jordán jorge joris jorma jorn jort jorunn jos jose josef
        josefa josefiina josefin josefina josefine josep joseph josephat josephine josette josh joshua josiah josiane josip josipa joso
        josphat josphine jost josué josé josée joséphine jouko jouni jovan jovana jovita joy joyce joyline jozef jozo joão joël joëlle
        joško juan juana juanita juanito jude judit judita judith judy juergen juha juhana juhani juho jukka jules juli julia julian
        juliana juliane julianna julie julien julienne juliet julieta juliette julijana julio julita julius juliusz julián juma jumadi
        jumari june juni junior juraj jure juri jurij jurre jussi justin justina justine justus justyna jutta juul juulia juuso juwon
        jyoti jyrki jytte ján jános jázmin jérôme józef józsef jörg jörgen jörn jørgen júlia jürgen jędrzej kaamil kaarina kaarlo kaashif
        kaazim kabeer kabir kabiru kachela kacper kacung kader kadir kadınana kafeel kahir kai kaija kaique kairav kaisa kaiser kaitlin
        kaitlyn kaj kaja kajen kajetan kajji kajsa kala kalbi kaleb kaleem kaleema kalervo kalevi kalgay kalim kalina kalle kalpit kamal
        kamala kamar kamaria kamau kambali kamidin kamil kamila kamilly kamran kamya kanak kanda kandef kane kani kania kanini kanpulat
        kapagan kara karaamat karabaş karaca karaer karakucak karam karan karanbay karani karanja karataş karcan kardelen kardi kareem
        karel karen kari karim karima karimah kariman karimi karin karina karine kariuki karja karl karla karley karlfried karlheinz
        karlijn karlo karlukhan karma karman karna karol karola karoliina karolin karolina karoline karolína karsa karsana karsten karta
        kartika karya kasam kashan kashif kashish kashvi kasim kasimir kasiran kasiyah kaspar kasper kassim kasusra kata katalin katana
        katariina katarina katarzyna katarína katcha kate katelyn katerina katerine katharina katharine katherin katherina katherine kathi
        kathleen kathrin kathryn kathy kati katia katica katie katja katri katriina katrin katrina katrine katriona katty katy kauko
        kauthar kaver kavurt kavya kawaca kawaya kawkab kawthar kay kayagün kaygusuz kayla kaylee kayleigh kayrabay kaysan kayun kayıt
        kazi kazim kazimierz kaşif kealan keano keelan keely keeva kefser keijo keisha keith keji keld kelechi kelli kellie kelly kelsey
        kelvin kelâmi kemal kemba kemboi kemuma kemunto ken kenan kenari kendra kenedy kenes keneth kenn kennedy kennet kenneth kenny kent
        kenter kenth kenzie keri kerime kerman kerri kerrie kerry kerstin kerttu kerubo kete kevin keya keyaan kezban kezia keziah khaalid
        khaan khadija khaled khalid khanyisile khoa kiaan kian kiandra kiara kiaran kiarie kibar kibet kiera kieran kiernan kieron kifaye
        kike kikelomo kiki kilian killian kilonzo kim kimani kimanzi kimathi kimberley kimberly kimeu kimmo kimutai kinga kinuthia
        kinyanjui kinyua kioko kipchirchir kipchumba kipkemboi kipkemoi kipkirui kipkoech kipkorir kipkosgei kipkurui kiplagat kiplangat
        kiplimo kipngeno kipngetich kiprono kiprop kiprotich kipruto kipsang kiptoo kipyegon kira kiramettin kirby kirk kirsi kirsten
        kirsti kirstie kirstin kirstine kirsty kirui kitan kitti kiyasi kjeld kjell kjersti kjetil klaas klara klas klaudia klaus klavs
        klemens klement klothilde klára kläre knud knut kocabaş koech koen kofi kojo koko kolawole koldan koncagül konguralp konrad
        konstantin konstantinos konstanty konstanze kopan koray korbinian kordula korede kori korinna korir korkmazalp kornel kornelia
        kornelius kornél korugan kosgei kosisochukwu kotuz koçak koçkan koşukhan kreszentia kreszenz kriemhild kris krish krisha krishna
        krista kristel kristen krister kristi kristian kristiane kristie kristiina kristijan kristin kristina kristine kristjan kristofer
        kristoffer kristopher kristy kristína kristóf krisztina krisztián krisztofer kritika krystal krystian krystyna krzysztof ksawery
        kuddusi kujoe kullervo kumar kumral kuncara kunibert kunigunda kunigunde kuno kunthara kuria kurnia kurt kurtis kustaa kusuma
        kutay kutgün kutun kwabena kwadwo kwaku kwamboka kwame kwamena kwasi kweku kwesi kyalo kyan kyano kyara kyle kylie kyllikki kyra
        kálmán károly kâmil kâzime käte käthe käthi kåre köker köktaş kösemen kübran kürşad kılıçbay kınel kırat kırgız kısmet kıvılcım
        kızıl kızıltunç laban labeeb labib labuh lacey ladina ladislau ladislaus ladislav ladislava ladli laeeq laetitia lage lahiah laika
        laila laiq laith lajita lajlaj lajos laksana laksh lakshit lakshmi lala lalita lalo lamar lambert lamberto lameck lan lana lanang
        lance lando langalibalele langat langgeng lanjar lantar laoise laqeet lara laras larisa larissa larry lars lascăr lasmanto lasmono
        lasse lassi laswi laszlo latasha lateef latif latika latoya laura laure laureano laureen lauren laurence laurens laurent laurenz
        laurenția laurențiu lauretta lauri laurian laurie laurin laurits laus laust lautaro lavanya lavender lavinia lavínia lawrence
        lawrencia layla layth laze lazzaro lazăr laís lea leah lean leana leander leandra leandro leanne leano ledün lee leela leena leevi
        lega legawa leia leidy leif leigh leila leire leke lekha lelia lembah lena lenah lene leni lenka lenn lennart lennarth lenny leo
        leocadia leocadio leokadia leon leona leonard leonardo leoncio leone leonel leonhard leonid leonie leonor leonora leonore leontin
        leontina leopold leopoldina leopoldine leopoldo leordean lere leroy lerze lesley leslie leszek leticia letizia letiția letícia
        levente levi levin levis lewis lex leyla leyli leyre lezize león lia liam lian liana liane liban liberto libni libor licia lică
        lidia lidija lidwina lidya lieke liesa liesbeth lieschen liesel lieselotte lieve ligia ligita liisa lila lili lilia lilian liliana
        liliane lilija lilja lilla lillemor lilli lillian lilly lilo lily liman limar limazah limon lina linah linda lindah linde lindsay
        lindsey linet linh linn linnea linnéa lino lintang linus lio lioara lioba lionel lipika lisa lisandro lisanne lisbet lisbeth lise
        liselott liselotte lisette lissi lissy liv liva livia livingstone livio liviu liwia liyaaqat liyaqat liz liza lize lizz lizzy
        ljiljana ljubica ljudmila lloyd lodovico loek loes logan lohit loice loida lois loise loke lola lolita lona londisizwe londiwe
        loni lonnie loot lopa lope loraine lorcan lore loredana lorelei lorena lorenz lorenza lorenzo loreto loretta loretto lori lorin
        lorine loris lorna lorraine lothar lotta lotte lotti lou loui louie louis louisa louise lourdes lova lovis lovisa lovre lovro lowe
        loyola loïc loïs luan luana luara luay luc luca lucas lucca luce lucențiu lucette luchino lucho lucia lucian luciana luciano lucie
        lucien lucienne lucija lucila lucinda lucio lucrezia lucreția lucrețiu lucy lucía ludger ludivine ludmila ludmilla ludovic
        ludovica ludovico ludvig ludwig ludwina luhung luigi luigina luis luisa luise luisina luitgard luiza luka lukas luke lukita lukman
        lukáš luluh lulut luminița luna lungile lunna lupe lupita luqmaan luqman lurhur lut lutf lutfan lutfi luthfi lutz luuk luwar luwes
        luyanda luz luzia luzie luís luísa lwandile lydia lydiah lydie lykke lynda lyndon lyndsay lyndsey lynn lynne lynsey lászló lázaro
        lâle lâm lærke léa léna léo léon léonard léonie léopold lívia lüfen lütfi lăcrămioara maahir maaike maajid maalik maanas maanav
        maaria maarit maarten maartje maawiya maaz maazin mabad mabel mac macarena macaria macario macauley macharia macide maciej
        mackenzie madani madeleine madelene madelief madeline madhav madhavi madison madiyan madlen mads madyan mael maeva maeve magali
        magaly magarete magda magdalena magdalene magdaline magdaléna magdolna maggie magne magnus magret magrit mahad mahaz mahbeer
        mahboob mahbub mahdee mahdi mahdy maheen maher mahesa mahfooz mahfud mahfuj mahfuz mahigül mahika mahir mahja mahmood mahmoud
        mahmud mahmut mahnaz mahsun mahter mai maia maicol maida maighread maija maik maike maiken maimuna maimunah maina maingi maira
        maire mairead mairin mairtin maite maitê maj maja majd majdi majdy majeed majella majken majvor makara makau makayla makeen makena
        makokha makori maks maksim maksur maksymilian maksüde makuta mala malachy malak malcolm malea malena malene malgorzata malik
        malika malin mallory malou malte malthe malva malvina malwina maman mamen mamun manah manan manbir manda mandla mandlakhe mandy
        manfred manja manola manole manolo manon mansurali mantas manthan manu manuel manuela manuelita manuella manus manya mar mara
        maras marc marcantonio marcel marcela marcelina marcelino marcell marcella marcelle marcello marcelo marcheta marcia marcial
        marciano marcin marcio marco marcos marcu marcus mare mareen mareike mareile marek maren marese marga margana margaret margareta
        margarete margaretha margarethe margarida margarita margaud margaux margherita margit margita margitta margot margret margrethe
        margrit marguerite mari maria mariadi mariah mariam marian mariana mariane marianela mariann marianna marianne mariano maribel
        marica maricela maricica maricruz marie mariechen mariela mariele mariella marielle marieluise marietta mariette marija marijan
        marijana marijn marika marilena marilyn marin marina marine marinela marino marinus mario marioara mariola marion marisa marisela
        marisol marissa maristela marit marita maritta maritza marius mariusz marja marjaana marjan marjatta marjo marjorie marjukka
        marjut mark marketta markku marko markus marleen marlen marlene marlies marliese marlis marlon marlyse marlène maroof marsito
        marsudi mart marta martaka martana martani marte marten martha marthe martial martim martin martina martine martino martirio
        martta martti martyn martín marvin marwata mary maryadi maryam maryann maryanne maryanto maryline marylène maryse marzena maría
        marína masar masika masinde mason massimiliano massimo masume mate matea matei matej mateja mateo mateus mateusz matheo matheus
        mathew mathias mathieu mathijs mathilda mathilde mathis matias matija matilda matilde mato mats matteo matthew matthias matthieu
        matthijs matthäus matti mattia mattias matts matías maud maude mauno maura maureen mauri maurice mauricette mauricio maurilio
        maurine maurits mauritz maurizio mauro maurycy max maxi maxim maxime maximiano maximilian maximiliano maximilien maximino maxine
        maxwel maxwell may maya maynur mayra maysa mayte mazlum maël maëlle maşide mbithi mboya mbugua mburu mcebisi mckenzie meabh meagan
        meaghan mechthild mechthilde mechtild mecide mecit meda meera mees mefarettin mefharet meg megan megha meghan meghana mehdi
        mehdiye mehmed mehmet mehmetzahir mehrigül meibh meik meike meinhard meinolf meinrad meja mekhala mel melaha melania melanie
        melchor meleknur melihcan melikkan melina melinda melisa melissa melita melitta melker melle melody melvin melvine melwin melûl
        memili menfeat mengi mengüç menişan meral merba mercedes merche mercy mercyline merdi meredith merel merete merethe merijn merim
        merja merle merlin mertel merva mervi mervin mervyn mery meryem meryeme merzuk meshack mestur mesude mesut metin metinkaya metod
        metrine mette meveddet mevlüdiye mevlüt meyhanim mezide meşhur mia micael micaela micah miceal micha michael michaela michaele
        michail michal michala michaël michał micheal micheala michel michela michelangelo michele micheletto micheline michell michelle
        michelotto michèle mick mie mieszko miguel miguela mihael mihaela mihai mihail mihin mihnea mihrab mihriye mihály miia miika mijo
        mik mika mikael mikaela mikayla mike mikhail mikkel mikko miklós mikołaj mikuláš mila milada milagros milan milana milay milcah
        milda mildred mile milena milica milka milkah milla mille millicent milo milos miloslav miloslava milou miloš milton milán mimi
        mimmi mina mindy minenhle minerva minh minibe minna minodora mio mioara miodrag mira mirabela miran miranda miray mirbadin mircea
        mirco mireia mireille mirela mirella mireya miriam miriama mirja mirjam mirjami mirjana mirko miro miron mirona miroslav miroslava
        miroslaw miroslawa mirriam mirsad mirta mirte mirthe miruna misael mishat mislav misra misty mitali mitchel mitchell mitchelle
        mitesh mitică mitra mitruț mitzy miyesser mizhir miłosz mladen mlungisi mnqobi moa modesta modesto modupe mofifoluwa mogens
        mohamad mohamed mohammad mohammed mohamud mohini moira moisés mojisola mojisoluwa mojmír mollie molly momanyi mona monalisa monica
        monicah monika monique monis monja montserrat moraa moradeke morayo moreen morena morenike moreno morgan morgane morine moritz
        morolake morris morten mortimer moses mosinmileoluwa mosunmola motunrayo moureen mourib mourine moya moyosore mthokozisi muarra
        mucahit muchiri muema mueni mufide mugambi mugdha mugendi mugo mugur mugurel muhallil muhamed muhammad muhammed muhammet muharrem
        muhazzim muhip muhiye muhyettin muia muireann muiruri mujde mujur mukbile mukhwana muktedir muli mulwa mulya mulyanto mulyono
        mumbi mumo mumpuni munene mungai muni munyao munyoki murat muratcan muriel murielle muriithi murilo murimi murithi muriuki
        mursinin mursita murti musa musafet musaffa musau musee musembi mustafa mustapha mustika mustofa musyoka musyoki mutai mutasım
        muthama muthengi muthoka muthoni muthui mutia mutie mutinda mutiso mutisya mutluhan mutua mutuku mutunga muturi muvaffak muvahhide
        muzaffer muzdahir muzhir mwanajuma mwanamisi mwangangi mwangi mwaniki mwanzia mwaura mwende mwendwa mwikali mwiti mya myles myra
        myriam myrthe mzamo mária mário márk márta márton mátyás máté máxima máximo märta märtha måns mårten mégane mélanie mélissa mía
        mónica mónika möhsim mübetcel mücellib mücevher müferrih müfit müjde mükramin mükrüme mülâyim mümtaze münezzer münif müret mürit
        müsemma müslum müveddet müzekker müğber müşüre mădălin mădălina mălina mărioara măriuca naadir naail naajy naasih naasir naathim
        naazhim nabeeh nabeel nabhan nabigh nabih nabil nabila nachiket nacho nacio nada nadeem nades nadeschda nadeshda nadežda nadhir
        nadia nadim nadin nadine nadir nadja nadr nadège nae naeem nael nafasat nafees nafesa nafii nafile nafis nafula nahashon nahuel
        naib naide nail naim naimh naja najair najam najeeb najib najwa nakip naksh nakul nalar naliaka nalân nam nan nancy nandini nando
        nanjala nanna nanni naoimh naoise naom naomh naomi naomy napoleone naradi narcis narcisa narciso nardi narhanim narji nasab nasiba
        nasim nasiru nasrullah nassim nasuf natacha natali natalia natalie natalija natalio natalja nataly natan natanael nataniel
        natascha natasha natasja natasza nataša natașa nath nathalie nathan nathaniel natividad natália naud naveen nayara nayeli nayil
        naz nazaret nazario nazende nazi nazim nazimet nazlihan nazlim nazıdil ndegwa nderitu ndirangu nduku ndumiso ndunge ndungu nduta
        nea neal neasa nebih nebiha necati necdat nechifor necilal necmettin necva nedda neel neelima neema nefaret nefiye neha nehemiah
        nehip neil neill nejdet nekesa nela nele nelima nelio nelli nellie nelly nelson nelu nenad neo neptün nerea nereida neriban nerim
        nermin nesfe nesip neslinur nessa nete netra neval nevenka nevgin neville nevio nevise nevsal nevsale newton neyran nezengül
        nezihi nezize neşrin nganga ngari ngigi ngozi ngugi ngọc nhiên nhlanhla nhật nial niall niamh nicanor niccolò nichifor nichola
        nicholas nichole nicholus nick nicklas nickson niclas nico nicoară nicodemo nicodemus nicodim nicola nicolae nicolai nicolaie
        nicolaj nicolas nicolasa nicolaus nicole nicoleta nicoletta nicoline nicolás nicolò nicu niculina niculiță nicușor nicuță nidhi
        nidia nidra niek niels nienke nieves nigel nihad nihai nihal nihan niharika niilo niina nik nika nikita nikki niklas niko nikodem
        nikola nikolai nikolaj nikolaos nikolas nikolaus nikolett nikoletta nikolina nikša nilam nilcan nilda nili nilima nilo nils
        nimakoah nimrat nina ninetta ninioluwa nino ninthe nirgül nirja nisa nisha nitara nitesh nives nixon niyaga niyazi niyilolawa
        niğmet njabulo njagi njenga njeri njeru njiru njogu njoki njoroge njue njuguna nkazimulo nkiruka nnamdi nneka noa noah noam
        nobantu nobuhle noe noel noeleen noelia noeline noelle noemi noemí noirin nokulunga nolan noleen nollaig nomagugu nomalanga noman
        nomasonto nomathalente nomathemba nomcebo nomthandazo nomusa nomvula nonhlanhla nonjabulo nonso noor noora noortje nora norah
        norbert norberto noreen norica norma norman notburga nothando noud nour nout nova novi noxolo nozibusiso nozizwe noé noémi noémie
        noël noëlla noëlle nqobizitha nrima nuala nugraha nuno nura nural nuran nuray nurbanu nurcan nurda nurdeniz nuretdin nurettin
        nurey nurgil nurhayet nuri nuria nuriyet nurkan nurmelek nurseda nurser nursim nurtaç nurten nuru nurul nurullah nurveren nury
        nurşan nuyan nyaboke nyaga nyakundi nyamai nyambura nyana nyanchama nyawira nydia nynke nyoman nyongesa nzioka nzomo nándor nélida
        néstor nóra núria nüdret nürice oana oba obaid obanijesu obdulia obed obianuju obinna ochieng octav octavia octavian octaviana
        octavio octaviu océane oda odalis odalys odeline odette odhiambo odhran odika odile odkanlı odongo oduor oeshi ofelia oganer
        ogechi ogooluwa oguş oisin oiva ojas ojasvi okanay okbay oke okechukwu okello okgüçlü okoth okseven okta okto oktüremiş okumu
        okyalaz ola oladare oladimeji olaf olajumoke olakunle olalla olanrewaju olansile olasunmbo olav olavi olca oldağ olegario olena
        olfert olga olgierd olimpia olimpian olimpiu oliva olive oliver olivia olivie olivier oliviu olivér oliwer oliwier olle olli olof
        ololade oloo olov oluchi olufunke olufunmilayo olumorotimi oluoch oluwafemi oluwagbemiga oluwakemi oluwamumibori oluwamuyiwa
        oluwasanmi oluwasegun oluwole oluş olwen olwethu olívia omaca omair omaja oman omar omari omeir omer omisha omkaar omobobola
        omobolanle omodunni omolabake omolara omondi omosalewa omotara omotayo omotola omotoun omowumi omran omya onat ondieki onesmus
        ongay oni onkar onni onofre onuker onurcan onursu onveer onyango onyinye oona oonagh opan ophelia ophélie opiyo opung oran oranlı
        orazio oreofe oreste orfhlaith orgün orhan oriana orinder orla orlagh orlaigh orlaith orlando orna ornella orsolya ortak ortansa
        ortrud ortrun ortwin oruç orvokki orçin osama oscar osha oskar oskari osman osmo ossama ossi ossian osunleke osvald osvaldo oswald
        oswaldo oswin otay otfried othmar otieno otilia otmar oto ottavio ottfried ottilia ottilie ottmar otto ottokar ottomar ottone ottó
        otávio ouma outi ove ovidio ovidiu oviya owais owe owen owethu owino owuor oxana oyenike oyindasola oymak ozana ozansü ozioma ozy
        oğulbaş oğurata oğuzman paavo pablo paca paco pacífica padma padmi padraic padraig padraigh padraigin pahal paige paiman paker
        paksu pallavi palle palmira paloma pam pamela pamfil panagachie panait panca pancho pandu panfilo pangeran pangestu panini panji
        paola paoletta paolo paramita paraschiva pardi paride paris parker parman parsa parth parvez pascal pascale paschal pascual
        pascuala pasi pasqual pasquale pastor pastora pat patience patric patrice patricia patricio patrick patrik patrizia patrizio
        patryk patrícia patty paul paula paule paulette pauli paulica pauliina paulin paulina pauline paulino paulo pauric pavani pavao
        pavel pavla paw pawel paweł paye paz peadar peader pearce pearl pearse peder pedro peggy pehlil pekka pekkan pelayo pelle
        pellegrino pembesin penelope penina peninah penny pentti pepe pepijn pepita pepito peren perinur peris perkasa perla perlita
        permun pernilla pernille pero perry pertti pervaiz pesent petar pete peter peterson petr petra petre petri petrică petrina
        petrișor petrona petronela petros petru petruț petruța petter petteri phanice phelim phelix phileine philemon philip philipp
        philippa philippe philippine philis phillip philomena phineas phoebe phylis phyllis phúc phương pia piaras piedad pien pier
        pierangelo pierce piergiorgio piergiuseppe pierina pierluigi piermaria piero pierpaolo pierre pierrette piersanti pieter pietra
        pietro piia pilar pili pim pina piotr pippa pirahmet piran pirjo pirkko pirmin piroska pius pleun pleșu plinio plácido pol polina
        polly pompeo pompilia pompiliu pomponio poncio pontus pooja porfirio poul praba prabawa prabowo prabu prakosa pranata pranav
        pranawa praneel pranit prasetya prasetyo pratyush prayitna prayoga prayogo preben preston prima primitiva primitivo prisca priscah
        priscila priscilla priscillah prisha priska priya profira prudence prudencia prudencio przemysław puccio puck puji puk puput
        purificación purity purwa purwadi purwanto pushti puspa puti putri putu pál pánfilo päivi päivikki pär pål pénélope péter pía pío
        pürçek pătru qaadir qaasim qabeel qabil qadar qadeer qadi qadim qahtan qaim qais qamar qani qanit qareeb qarin qaseem qasid qasif
        qasim qatadah qawee qays qori quadir quang qudamah quddoos qudoos quentin quincy quinn quinten quinter quinty quique quirino
        qurban qusay qushi qutaybah qutb qutub raaghib raagini raahil raakin raamis raamiz raashid raatib rabah rabar rabb rabbaanee
        rabbani rabbiye rabea rabecca rabee rabi rabiah rabih rabit rachael rachana racheal rachel rachelle rachid rachit rachita rada
        radeke raden radha radhee radhika radi radika radit raditya radmila radomír radoslav radosław radovan radu raed raees rael raf
        rafa rafael rafaela rafan rafay rafaél rafaël rafał rafee rafeek rafeeq raffael raffaela raffaele raffaella raffaellino raffaello
        rafi rafia rafid rafih rafila rafiq raghav ragheb raghib ragna ragnar ragner ragnhild rahab raharja rahat rahayu raheel raheem
        rahel rahiye rahma rahman rahmat rahmet rahmi raihan raija raik raili raimo raimondo raimund raimundo raina rainer raisa raissa
        rajab rajata rajeshri rakide raksha ralf ralph raluca rama ramadan ramadhan ramazan ramiro ramiz ramon ramona ramón rana ranbir
        randall randi randolf randy rangga rania ranieri ranveer raoul raphael raphaela raphaël raquel rareș rashid rasmus rasul ratih
        ratna raul rauno raven ravi ravy ray rayaan rayan rayla raymond raymonde raymund razı raúl reagan rebeca rebecca rebecka rebeka
        rebekah rebekka rebihat recep recepali redmond reece refet refik regan regina reginald regine regitse regitze regína rehaan rehema
        rehime reidun reijo reimar reimer reimund rein reina reinald reinaldo reine reiner reingard reinhard reinhardt reinhart reinhild
        reinhilde reinhold reino reksa relu remazan rembrandt remedios remigio remo remus rena renan renata renate renato renaud rendy
        rene renee rengül reni rens renske renzo renáta rené renée resi respati restu resulcan reuben reva revza reyansh reyes reyna
        reynaldo reza rezin rezzak rhavi rhian rhianna rhianne rhiannon rhoda rhona rhonda rhys ria rian rica ricarda ricardo riccardo
        ricciotti rich richard richardt richárd rick rickard rickey ricky rico ridhi ridwan rigmor rigo rigoberto riikka riitta rik rika
        rikard rikke riku riley rina rini rino risalet rishi risper risto rita ritt ritva riya riza riziki rizki roan roar rob robbie
        robby robert roberta robertina roberto robin robinson robyn rocco rochus rocío rodah roderich roderick rodger rodgers rodica
        rodney rodolfo rodolphe rodrigo rogelio roger rogers rohaan rohan rohat roise roisin rojnu roko roksana roland rolande rolando
        roldán rolf romain romaine roman romana romane romanița romano romeo romina romolo romuald romulus romy román ron rona ronald
        ronaldo ronan ronith ronja ronke ronni ronnie ronny rono rony roope roos roosa roque rory rosa rosalba rosaleen rosalia rosalie
        rosalina rosalinda rosalinde rosalva rosalía rosanna rosanne rosaria rosarie rosario rosaura rose roseanna rosel roselinde
        roseline roselyn roselyne rosemarie rosemary rosenda rosendo rosi rosie rosina rosita rosl roslyn rosman rosmarie ross rossa
        rossana roswita roswitha rotich rotraud rotraut rouven rowan rowena roxana roxane roxelana roy roza rozalia rozalija rozália
        ruairi ruari ruben ruby rubén rudi rudolf rudolph rudra rudy rufina rufino ruggero ruggiero ruhide ruhsat ruhugül rui rukia
        rumeysa rune rupert ruperta ruperto ruqayya rushil rusman russell rusul rut ruth ruthild ruwaihim ruxanda ruxandra ruy ruža ružica
        ryan ryszard régine régis régulo réka rémi rémy róbert rómulo róza rózsa róża rúben rüdiger rüknettin rümeysa rüşen răducu răzvan
        rıfkıye saabir saad saadat saadiq saafir saahir saaiq saajid saal saalih saalim saanvi saaqib saar saara saariyah saba sabah
        sabahat saban sabar sabas sabatino sabbir sabeeh sabih sabihe sabil sabin sabina sabine sabiq sabir saboor sabri sabrina sabur
        saburah sabína sabır sacha sachi sadan sadaqat sadat sadeed sadeti sadina sadittin sadiye safet safina safinaz safiya safta safura
        saga sahil sahin sahir sahra sai saida saidi saiful saim sair sairah saire saka sakari sakip saksham sakti sakura salami saleh
        salih salim salimah salimet salkın sally salma salman salome salomea salomey salomé salomón salsabila salud salurbay salvador
        salvatore salvi salwa sam samahat samaksh samama samanta samantha samar samarth samesh sami samiah samir samira sammy samson
        samsul samu samuel samuli samurtay samwel samy sanavber sanaya sancak sancho sanda sandalio sander sandile sandor sandra sandrine
        sandro sandu sandy sani sanja sanna sanne sanni sante santeri santiago santino santos sanur sanya sançar saoirse saood sara sarah
        sargın sari sarina sarita sarpkın sarthak sarya sarıcabay sascha sasha saskia sathvik satrettin satu saturnina saturnino satya
        satıa saul saumu saumya saundra sava savak savannah saverio saveta savina savni saydam saygın sayin sayrak sayın saçı saúl sağcan
        sağıt saša scarlett scarlette scot scott seamus sean seana seanan seaneen seanna sebastiaan sebastian sebastiano sebastián
        sebattin sebigül seblâ seda sedat sedife sefer segilola segismundo segundo seha sehel seija sejda selaheddin selatin selcen selena
        seler selim selime selin selina selma selmin selvi selâtin selçuk sem semat semender semenica semine semra semrin senan sencar
        seniha senn senna senol senta seona seosamh sepp seppo septi seracettin serafina serafín serah serda serena serezli serfinaz serge
        sergei sergej sergio sergiu sergius serhatmehmet serma sernur serol serpil servinaz sessa seth setya sevcan sevdi sevdinar seve
        sever severiano severin severina severino severo sevgen sevginur sevican sevim sevindik sevla sevsevil seydo seye seyfullah seyhan
        seyithan seyyide sezal sezen sezginbaş seçgül seçme shaban shadrack shakila shamsuddeen shana shane shania shanice shanna shannan
        shannen shannon shari sharon shaun shauna shauneen shaurya shawn shawna shay shea sheamus sheela sheelagh sheena shehu sheila
        sheilah sheilla sheillah shekoni shelby shelia shelley shelly shem sheree sheri sherri sherry sheryl shiela shinead shirley
        shivani shivansh shona shravya sian sibel sibilla sibille sibonelo sibongile sibusisiwe sibusiso sibylla sibylle sidar siddharth
        sidiq sidki sidonia siegbert siegfried sieghard sieglinde siegmar siegmund siegrid siegried siegrun siegward siem sienna sierra
        sifuna sigfrid sigfrido sigfried sigge sigismund siglinde sigmar sigmund signe sigrid sigrun sigurd sigvard sihawukele siiri
        sijuade sil sila silanur silas sile silja silje silke sille silondile silva silvana silvano silvester silvestre silvestro silvia
        silvian silviana silvio silviu simber simen simeon simi similoluwa simina simion simisola simiyu simo simon simona simone
        simonetta simonne simphiwe simten simón sina sinaida sindre sinead sini sinică sinikka siniša siobain sioban siobhain siobhan
        siofra siper siphesihle sirap siri sirkka sirpa siska sisko sissel sithembiso siti sittik siv sivert sixten siya siyabonga sjoerd
        sky slamet slavica slavko slavomír slawomir slobodan smaranda sneha snježana socorro sofi sofia sofiane sofie sofía sol solange
        soledad soleh solma solomon solveig solvej solène somadina somtochukwu sonad sondre songurkan songül sonia sonja sonnur sonny
        sonya sophia sophie sophy sorana soraya sorcha sorin sorina sosimo souma sowande soydaner soykan soykut soyselçuk soňa spencer
        speranța sphiwe stacey stacie stacy staffan stan stana stanca stancu stanislaus stanislav stanislava stanislaw stanisław stanley
        stavros steen stef stefan stefani stefania stefanie stefano steffen steffi stein steinar stela stelian steliana stella stellah
        stellan steluța sten stephan stephanie stephany stephen stephene sterre steve steven stewart stian stig stijn stilla stina stine
        stjepan stuart sture stéphane stéphanie suat subomi subutiye suci sudi sudiksha sue suhani suleiman sulhi sultane sumayya summer
        sunay sune sunel suphi surya susam susan susana susanita susann susanna susannah susanne susi sussanne sussie suus suvi suzana
        suzanne suze svante svea svein sven svenja svenning sverre svetlana swaleh swantje swen swetlana syahrini sybilla sybille sydney
        sylivia sylke sylvain sylvana sylvester sylvia sylviane sylvie sylvio sylwia synnøve szabolcs szilveszter szilvia szilárd szymon
        sándor sára sânziana sébastien sérgio séverine sökmen sönke sören söyler sözer søren sørine søs sücaettin süha süheyda sükrü
        süleyla süleyman sümerya sümeyye süner süsen süvari süzer sıla sırriye sıylıhan taahaa taahir taaj taalib taamir taanish taariq
        taban tabassum tabea tabish tabitha taciddin tade tadeen tadeo tadeusz tadeáš tadhg tafazal tagangül tage taha tahawwur taheem
        tahir tahmaseb tahmeed tahmid tahoor tahseen taial taimur taina taisir taisto taj tajammal tajammul tajudinn talal talat talayer
        talha talhah tali talia talib talibe tamam tamanna tamara tamaydın tami tammie tammy tamás tan tanak tanay tanbay tandoğdu taneli
        tanguy tangül tanhan tania tanimu tanish tanja tanmayi tanner tanpınar tanses tansev tansığ tantri tanveer tanvi tanya tanyolaç
        tanyu tanır tapani tapio tara tarak tarancı tarfaan tari tarja tartış taru tasdik tasha tasnim tassilo tasvir taswir tatiana
        tatjana tatu taufan taufik tauno tawkeel tayaydın taygan taylak taylor tayyibe tayyip taçnur taşar taşkan teber tecimer tecla ted
        teddy tedi teea teemu teerth teguh teija tejas tejs tekbay tekecan tekiner tekla teknaz teksoy telemaco telim tellervo telmo telse
        temidayo temime temirhan temistocle temizkal temuçin tenvir tenzin teo teobaldo teodor teodora teodoro teodosia teodosio teofil
        teohari teona tercan tere terence teresa terese teresia teresiah teresita terezija terhi terje terlan tero terrance terrence terri
        terry terttu teréz terézia tess tessa teun teuvo tevs teybet tezcan tezol teófila teófilo thabani thabisa thabisile thaddeus
        thaddäus thalente thales thandazile thandeka thandiwe thando thea theda thekla thelma thembeka thembekile thembile thembisile theo
        theobald theodor theodora theodore theodoro theodoros theres theresa therese theresia therése thi thiago thibaud thibault thibaut
        thierry thies thijmen thijn thijs thilo thom thomas thor thoralf thorben thore thorsten thuo thure thuthukile thành théo théodore
        théophile thérèse thảo tia tiago tiara tiare tiarna tiarnan tiberia tiberiu tibor tiburcio ticen tiegan tiernan ties tiffany tiia
        tiina tijmen tijn tijs tilda till tillmann tilly tilman tilmann tilo tim timbul timea timm timmy timo timon timotei timotej
        timoteo timothy timothée timurtaş tina tinca tincuța tindra tine tino tira tirdad tirta tirtayasa tirza tishk titi titilayo titin
        tito titus tivadar tiziana tiziano tiğin tobias tobiasz toby todd todor toivo toker toki toktuğ tokunbo toköz tola tolonbay
        tolulope toluwanimi tom toma tomas tomasa tomasz tomi tomislav tommi tommy tomo tomori tomurcuk tomás tomáš tonguç toni tonia
        tonicha tonino tonje tonny tony tonya topias topuz tor tora toralf torben torbjörn torbjørn tord tore torgny torhan tori toribio
        torill torquato torsten tory tova tove toño toğan tracey traci tracie tracy traian traude traudel traudl traugott traute travis
        treacy treasa trevor tri tricia trina trine trini trinidad triona tripti tristan tristán triveni triya troels trond troy trude
        trudel trudi trung trọng tsuma tudor tudora tudorița tudosia tugiman tuija tule tulio tullio tulun tunahan tunguç tunçboğa
        tunçkılıç tuomas tuomo turabi turcein ture turgut turid turlough turvi tutkucan tutkun tuukka tuula tuuli tuulia tuulikki tuva
        tuyuğ tuğcan tuğrulhan tuğtaş tuğçe twan tycho tygo tyler tymon tymoteusz tyra tyrone tyson tímea törel tùng tükelalp tülay tülin
        tümer tümkurt tünde türabi türcan türkalp türkan türkmen türknur tüzeer tüzenur tınal ubaadah ubadah ubaid ubaidah ubaldo ubay
        ubayd ubaydullah uberto ubika ucchal uche uchenna uchita uda udant udarsh udo udyati uffe ufukay ugo ugolino uhban ujunwa ulakbey
        ulf ulfat uli ulises ulla ullrich ulrica ulrich ulrik ulrika ulrike ultan ulu uludağ uluman ulutay uluğbey ulva ulya umaarah umair
        umang umar umay umaya umberto umi ummahani umman umutcan umuşan una undine unggul unjani unnati unni uno uolevi upadhriti upasna
        upik upkaar upma uraltay urban urbano urhan uriel urishilla urmi urrab urs ursel ursula urszula urte urvashi urvi uschi ushan
        usman usyi uta utama ute utkarsh utkucan utz uwe uyanser uygun uzbay uzsoy uçan uçbeyi uğan uğur uğurkan uğurtan vacibe vadim
        vafir vagn vahar vahittin vaishnavi vajèn valary valborg valdemar valentijn valentim valentin valentina valentine valentino
        valentín valentína valeri valeria valerie valerij valerio valeriu valero valeska vallary valter valtteri valéria valérie vamakshi
        vanda vanesa vanessa vania vanja vansha vanya varenya vargın varlık varsha varvara vasana vasatika vasco vasile vasilica vasilică
        vassilios vasudha vaysal vecide veda vedant vedat vedhika vedika vedran veer veera veerle veeti vefia vega vegard veijo veikko
        veis veit veli velitdin velma venancio venceslás vendela venera veniamin venla vera verde verena verim verner verneri vernon vero
        veronica veronicah veronika veronique verónica vesa vesna veta vezat vezrife vicenta vicente vicenția vicențiu vicki vickie vicky
        victoire victor victoria victoriano victorino vida vidal vidar vide vidhi viggo vigo vihaan viivi viking viktor viktoria viktorija
        viktória vildane vilde vilgot vilhelm vilhelmiina vilhelmina vilho viljami viljo villads vilma vilmer vilmos viman vinaya vince
        vincent vincentio vincenza vincenzo vincențiu vinciane vinicio vinicius vinko vino vinsen vinzenz vinícius viola violet violeta
        violetta violette viorel viorela viorica viraj virgilio virginia virginie viridiana virman virpi virág visarion visitación vitali
        vitalis vito vitor vittoria vittorio vitus vitória vivaan viveka vivi vivian viviana viviane vivianne vivien vivienne vjekoslav
        vlad vladimir vladimír vladimíra vladislav vlado vlaicu vlasta vlastimil vlădelina voichița voicu volker volkhard volkmar
        vratislav vrinda vrishti vritti vuokko vusumuzi vyanjana václav vâlâ vân väinö véronique víctor vít waahid waail waajid wachira
        wadee wadi wadood wafa wafeeq wafi wafiq wafula wage wahab wahb wahban waheed wahhaab wahhaaj wahyu waida wainaina wairimu wakeeta
        wakiman walburga waldemar waldtraut walentina walfried walid walli wally walter walther waltraud waltraut waltrud waluyo wamalwa
        wambua wambugu wambui wanda wangari wangila wangui wani wanja wanjala wanjiku wanjiru wanjohi wanyama wanyonyi warda wardaya wardi
        warhi warinder warjas warji warren warsa warsita warta washington wasis watika wawan waweru wayne wazir weddy weena wekesa weldon
        wenche wencke wendelin wendolin wendy wenke wenzel wera werner wesley wesonga wessel whitney wibke widisha widya wiebke wieland
        wieslaw wigbert wiktor wilfred wilfredo wilfrido wilfried wilfriede wilhelm wilhelmina wilhelmine will wille willem willfried
        willi william willibald willibert willie willis willy wilma wilmer wilson wiltrud winda winfred winfried winifred winni winnie
        winny wira wirda wishi wisnu witold wladimir wojciech woldemar wolf wolfgang wolfhard wolfram wout wouter wriddhish wridesh wulan
        wulf wuraola wyatt wycliff wycliffe wálter xalak xanana xaver xavi xavier xenia ximena xiomara xiti xobeen xuân yaa yaaseen
        yachana yadavi yadid yadigar yafi yafir yaghnam yagnesh yago yahvi yahya yahyaa yahşi yahşikan yaiza yalazabay yalgın yaltırak
        yalın yaman yamar yameen yamin yamini yan yance yanet yani yanis yankı yann yannick yannis yaqeen yaqoot yaqub yar yara yargı
        yasaar yasan yaseen yasemen yasemin yash yashasvi yashawini yashem yashica yashoda yashodhara yashvi yasin yasir yasmin yasmina
        yasmine yasmín yassin yassine yasti yatan yathrib yatin yauvani yavuz yaw yawar yawer yayak yazan yazeed yazganalp yazgül yağın
        yağızkurt yaşar yaşattin yda yeison yejide yekbun yekda yelesen yeneral yeni yenifer yenny yepelek yeraz yergha yertan yesenia
        yesoob yessi yetişal yetunde yewande yeşil yfke yigit yilmaz yinthe ylva yngve yochana yoga yohan yohana yolal yolanda yolande
        yono yoruç yosef yoshita yosma younes yousef youssef yrjö yrsa yug yulia yuliana yuni yunis yunita yunt yurdanur yurdaser yureed
        yuri yuridia yurtgüven yurtseven yurttaş yussuf yusuf yutika yuvraj yvan yves yvette yvon yvonne yésica yéssica yönetmen yücel
        yücelen yümun yıldır yıldız yılma yến zaafir zaahid zaahir zaakir zabir zablon zac zacarías zach zacharia zacharias zacharie
        zachary zackariya zaeem zaenab zafar zafeer zafir zafrul zahaar zaharia zaheer zahfer zahi zahid zahir zahra zahri zahrun zahur
        zaib zaid zaida zainab zainabu zaira zaitra zak zakaria zakayo zakhele zaliha zalindra zalán zamfir zamfira zamir zamira zane
        zansi zara zarar zaraza zarna zashil zauqi zaweel zayan zayyan zayyir zbigniew zdenka zdenko zdravko zebirce zeferino zehaan
        zehnia zehra zehranur zekayi zeki zelaya zelda zelha zeljko zelma zemzem zenia zennun zeno zenobia zenon zenovia zenta zenzele
        zenzile zerafet zerdad zeride zevlüde zewad zeynelabidin zeynep zeyno zibuyile ziggy zihni zilfa zilmil zimran zina zinal zinhle
        zinnure zipporah zita ziyaettin zizi zlatko zoe zoey zofia zoltan zoltán zora zoraida zoral zoran zorka zoé zoë zsanett zsigmond
        zsolt zsombor zsuzsanna zsófia zubeyde zulaikha zulfa zuwayhir zuzana zvonko zöhrehan züfer züheyla zülbiye zülfüye zülgarni zümre
        ábel ádám áfrica ágata ágatha ágnes águeda ákos álvaro ámbar ángel ángela ángeles ánh áron árpád áurea âdem âlemşah änne åbjørn
        åge åke åsa åse çakar çakırca çaltı çalım çamok çapkan çavuldur çağa çağdan çağlar çağlasın çağveren çelem çelikkan çelikyürek
        çerçi çetinsu çeviköz çevregül çilga çinerk çisem çokan çolpan çopur çoğay çıdal çıvgın édgar édith édouard élisabeth élise élodie
        éléonore émile émilie éric étienne éva íngrid íris ísis íñigo óliver óscar öge ökkaş öktürk ömer ömriye ömür öncel önel öngen
        önsal örfiye örik örjan öryürek östen över övün özakan özalpsan özaslan özay özbay özbilek özbilge özdal özdeş özdil özdoğdu özel
        özerdinç özertem özge özger özgün özgür özinal özkent özkutlu özlem özlü özokçu özpetek özpınar özsözlü öztek öztürk özyurt özçam
        özüdoğru öğet øivind øjvind ørni øvli øystein øyvind úrsula übeydullah üge ülfet ülke ülküdeş ülküm ümmahan ümmet ümmühan ümray
        ünal ünek ünlen ünsever ünübol ürfettin ürper üsame üstün üzer üçgül đuro đurđica ğanim łukasz şabettin şadıman şafii şahat
        şahdiye şahinbey şahinder şahmettin şahnuray şahıgül şali şamiha şanlı şavki şayan şazime şefi şefiye şehamet şehreban şehza şekim
        şelâle şemsettin şemsinisa şendoğan şenkal şennur şerafeddin şeref şerman şevket şevketfeza şeyda şide şilan şinasi şirivan şuayp
        şöhret şükri şüküfe šime šimon štefan štefanija štefica žaneta željka željko șerban ștefan ștefana ștefania
        """
}
