// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The goal of the Move ring of an activity summary.
public enum HKActivityMoveMode: Int, Sendable {
  case activeEnergy = 1
  case appleMoveTime = 2
}

/// The version of the algorithm that classified an electrocardiogram: the value of
/// `HKMetadataKeyAppleECGAlgorithmVersion`.
public enum HKAppleECGAlgorithmVersion: Int, Sendable {
  case version1 = 1
  case version2 = 2
}

/// The level of breathing disturbances during sleep.
public enum HKAppleSleepingBreathingDisturbancesClassification: Int, Sendable {
  case notElevated = 0
  case elevated = 1
}

/// A classification of walking steadiness.
public enum HKAppleWalkingSteadinessClassification: Int, Sendable {
  case ok = 1
  case low = 2
  case veryLow = 3
}

/// The conduction type of a hearing test.
public enum HKAudiogramConductionType: Int, Sendable {
  case air = 0
}

/// The ear that was tested.
public enum HKAudiogramSensitivityTestSide: Int, Sendable {
  case left = 0
  case right = 1
}

/// Whether the user would be asked about a permission request.
public enum HKAuthorizationRequestStatus: Int, Sendable {
  case unknown = 0
  case shouldRequest = 1
  case unnecessary = 2
}

/// A program's permission to save a type. There is no status for reading.
public enum HKAuthorizationStatus: Int, Sendable {
  case notDetermined = 0
  case sharingDenied = 1
  case sharingAuthorized = 2
}

/// A biological sex, as entered by the user.
public enum HKBiologicalSex: Int, Sendable {
  case notSet = 0
  case female = 1
  case male = 2
  case other = 3
}

/// The time of a blood glucose measurement relative to a meal: the value of
/// `HKMetadataKeyBloodGlucoseMealTime`.
public enum HKBloodGlucoseMealTime: Int, Sendable {
  case preprandial = 1
  case postprandial = 2
}

/// A blood type, as entered by the user.
public enum HKBloodType: Int, Sendable {
  case notSet = 0
  case aPositive = 1
  case aNegative = 2
  case bPositive = 3
  case bNegative = 4
  case abPositive = 5
  case abNegative = 6
  case oPositive = 7
  case oNegative = 8
}

/// The location of a thermometer: the value of `HKMetadataKeyBodyTemperatureSensorLocation`.
public enum HKBodyTemperatureSensorLocation: Int, Sendable {
  case other = 0
  case armpit = 1
  case body = 2
  case ear = 3
  case finger = 4
  case gastroIntestinal = 5
  case mouth = 6
  case rectum = 7
  case toe = 8
  case earDrum = 9
  case temporalArtery = 10
  case forehead = 11
}

/// The value of category samples that have only a time.
public enum HKCategoryValue: Int, Sendable {
  case notApplicable = 0
}

/// A change of appetite.
public enum HKCategoryValueAppetiteChanges: Int, Sendable {
  case unspecified = 0
  case noChange = 1
  case decreased = 2
  case increased = 3
}

/// Whether the user stood during an hour.
public enum HKCategoryValueAppleStandHour: Int, Sendable {
  case stood = 0
  case idle = 1
}

/// The reason for a walking steadiness notification.
public enum HKCategoryValueAppleWalkingSteadinessEvent: Int, Sendable {
  case initialLow = 1
  case initialVeryLow = 2
  case repeatLow = 3
  case repeatVeryLow = 4
}

/// The reason for an audio exposure event.
public enum HKCategoryValueAudioExposureEvent: Int, Sendable {
  case loudEnvironment = 1
}

/// The quality of cervical mucus.
public enum HKCategoryValueCervicalMucusQuality: Int, Sendable {
  case dry = 1
  case sticky = 2
  case creamy = 3
  case watery = 4
  case eggWhite = 5
}

/// A method of contraception.
public enum HKCategoryValueContraceptive: Int, Sendable {
  case unspecified = 1
  case implant = 2
  case injection = 3
  case intrauterineDevice = 4
  case intravaginalRing = 5
  case oral = 6
  case patch = 7
}

/// The reason for an environmental audio exposure event.
public enum HKCategoryValueEnvironmentalAudioExposureEvent: Int, Sendable {
  case momentaryLimit = 1
}

/// The reason for a headphone audio exposure event.
public enum HKCategoryValueHeadphoneAudioExposureEvent: Int, Sendable {
  case sevenDayLimit = 1
}

/// The reason for a low cardio fitness event.
public enum HKCategoryValueLowCardioFitnessEvent: Int, Sendable {
  case lowFitness = 1
}

/// The amount of a menstrual flow.
public enum HKCategoryValueMenstrualFlow: Int, Sendable {
  case unspecified = 1
  case light = 2
  case medium = 3
  case heavy = 4
  case none = 5
}

/// The result of an ovulation test.
public enum HKCategoryValueOvulationTestResult: Int, Sendable {
  case negative = 1
  case luteinizingHormoneSurge = 2
  case indeterminate = 3
  case estrogenSurge = 4

  /// Same as `luteinizingHormoneSurge`.
  @available(*, deprecated, renamed: "luteinizingHormoneSurge")
  public static var positive: Self { .luteinizingHormoneSurge }
}

/// The result of a pregnancy test.
public enum HKCategoryValuePregnancyTestResult: Int, Sendable {
  case negative = 1
  case positive = 2
  case indeterminate = 3
}

/// Whether a symptom is present.
public enum HKCategoryValuePresence: Int, Sendable {
  case present = 0
  case notPresent = 1
}

/// The result of a progesterone test.
public enum HKCategoryValueProgesteroneTestResult: Int, Sendable {
  case negative = 1
  case positive = 2
  case indeterminate = 3
}

/// The severity of a symptom.
public enum HKCategoryValueSeverity: Int, Sendable {
  case unspecified = 0
  case notPresent = 1
  case mild = 2
  case moderate = 3
  case severe = 4
}

/// A stage of sleep, or time in bed or awake.
public enum HKCategoryValueSleepAnalysis: Int, Sendable {
  case inBed = 0
  case asleepUnspecified = 1
  case awake = 2
  case asleepCore = 3
  case asleepDeep = 4
  case asleepREM = 5

  /// Same as `asleepUnspecified`.
  @available(*, deprecated, renamed: "asleepUnspecified")
  public static var asleep: Self { .asleepUnspecified }
}

/// The amount of vaginal bleeding.
public enum HKCategoryValueVaginalBleeding: Int, Sendable {
  case unspecified = 1
  case light = 2
  case medium = 3
  case heavy = 4
  case none = 5
}

/// The method by which a functional threshold power was determined.
public enum HKCyclingFunctionalThresholdPowerTestType: Int, Sendable {
  case maxExercise60Minute = 1
  case maxExercise20Minute = 2
  case rampTest = 3
  case predictionExercise = 4
}

/// The side of the body on which a device was worn.
public enum HKDevicePlacementSide: Int, Sendable {
  case unknown = 0
  case left = 1
  case right = 2
  case central = 3
}

extension HKElectrocardiogram {
  /// The classification of an electrocardiogram.
  public enum Classification: Int, Sendable {
    case notSet = 0
    case sinusRhythm = 1
    case atrialFibrillation = 2
    case inconclusiveLowHeartRate = 3
    case inconclusiveHighHeartRate = 4
    case inconclusivePoorReading = 5
    case inconclusiveOther = 6
    case unrecognized = 100
  }
}

extension HKElectrocardiogram {
  /// A lead of an electrocardiogram.
  public enum Lead: Int, Sendable {
    case appleWatchSimilarToLeadI = 1
  }
}

extension HKElectrocardiogram {
  /// Whether the user reported symptoms with an electrocardiogram.
  public enum SymptomsStatus: Int, Sendable {
    case notSet = 0
    case none = 1
    case present = 2
  }
}

/// A skin type, as entered by the user.
public enum HKFitzpatrickSkinType: Int, Sendable {
  case notSet = 0
  case I = 1
  case II = 2
  case III = 3
  case IV = 4
  case V = 5
  case VI = 6
}

extension HKGAD7Assessment {
  /// An answer to a GAD-7 question: the frequency in the last two weeks.
  public enum Answer: Int, Sendable {
    case notAtAll = 0
    case severalDays = 1
    case moreThanHalfTheDays = 2
    case nearlyEveryDay = 3
  }
}

extension HKGAD7Assessment {
  /// The severity of anxiety for a GAD-7 score.
  public enum Risk: Int, Sendable {
    case noneToMinimal = 1
    case mild = 2
    case moderate = 3
    case severe = 4
  }
}

/// The user's activity during a heart-rate measurement: the value of `HKMetadataKeyHeartRateMotionContext`.
public enum HKHeartRateMotionContext: Int, Sendable {
  case notSet = 0
  case sedentary = 1
  case active = 2
}

/// The test by which a heart-rate recovery was measured.
public enum HKHeartRateRecoveryTestType: Int, Sendable {
  case maxExercise = 1
  case predictionSubMaxExercise = 2
  case predictionNonExercise = 3
}

/// The location of a heart-rate sensor: the value of `HKMetadataKeyHeartRateSensorLocation`. The numbers are
/// those of the Body Sensor Location characteristic (0x2A38).
public enum HKHeartRateSensorLocation: Int, Sendable {
  case other = 0
  case chest = 1
  case wrist = 2
  case finger = 3
  case hand = 4
  case earLobe = 5
  case foot = 6
}

/// The reason for an insulin delivery: the value of `HKMetadataKeyInsulinDeliveryReason`.
public enum HKInsulinDeliveryReason: Int, Sendable {
  case basal = 1
  case bolus = 2
}

extension HKMedicationDoseEvent {
  /// The status of a dose.
  public enum LogStatus: Int, Sendable {
    case notInteracted = 1
    case notificationNotSent = 2
    case snoozed = 3
    case taken = 4
    case skipped = 5
    case notLogged = 6
  }
}

extension HKMedicationDoseEvent {
  /// The kind of schedule of a dose.
  public enum ScheduleType: Int, Sendable {
    case asNeeded = 1
    case schedule = 2
  }
}

/// A metric prefix.
public enum HKMetricPrefix: Int, Sendable {
  case none = 0
  case pico = 1
  case nano = 2
  case micro = 3
  case milli = 4
  case centi = 5
  case deci = 6
  case deca = 7
  case hecto = 8
  case kilo = 9
  case mega = 10
  case giga = 11
  case tera = 12
  case femto = 13
}

extension HKPHQ9Assessment {
  /// An answer to a PHQ-9 question: the frequency in the last two weeks.
  public enum Answer: Int, Sendable {
    case notAtAll = 0
    case severalDays = 1
    case moreThanHalfTheDays = 2
    case nearlyEveryDay = 3
    case preferNotToAnswer = 4
  }
}

extension HKPHQ9Assessment {
  /// The severity of depression for a PHQ-9 score.
  public enum Risk: Int, Sendable {
    case noneToMinimal = 1
    case mild = 2
    case moderate = 3
    case moderatelySevere = 4
    case severe = 5
  }
}

/// The method by which a physical effort was estimated.
public enum HKPhysicalEffortEstimationType: Int, Sendable {
  case activityLookup = 1
  case deviceSensed = 2
}

/// The direction of a prism's base.
public enum HKPrismBase: Int, Sendable {
  case none = 0
  case up = 1
  case down = 2
  case `in` = 3
  case out = 4
}

/// The rule by which samples of a quantity type are aggregated.
public enum HKQuantityAggregationStyle: Int, Sendable {
  case cumulative = 0
  case discreteArithmetic = 1
  case discreteTemporallyWeighted = 2
  case discreteEquivalentContinuousLevel = 3

  /// Same as `discreteArithmetic`.
  @available(*, deprecated, renamed: "discreteArithmetic")
  public static var discrete: Self { .discreteArithmetic }
}

extension HKStateOfMind {
  /// A life domain associated with a state of mind.
  public enum Association: Int, Sendable {
    case community = 1
    case currentEvents = 2
    case dating = 3
    case education = 4
    case family = 5
    case fitness = 6
    case friends = 7
    case health = 8
    case hobbies = 9
    case identity = 10
    case money = 11
    case partner = 12
    case selfCare = 13
    case spirituality = 14
    case tasks = 15
    case travel = 16
    case work = 17
    case weather = 18
  }
}

extension HKStateOfMind {
  /// The time span of a state of mind.
  public enum Kind: Int, Sendable {
    case momentaryEmotion = 1
    case dailyMood = 2
  }
}

extension HKStateOfMind {
  /// A word for a state of mind.
  public enum Label: Int, Sendable {
    case amazed = 1
    case amused = 2
    case angry = 3
    case anxious = 4
    case ashamed = 5
    case brave = 6
    case calm = 7
    case content = 8
    case disappointed = 9
    case discouraged = 10
    case disgusted = 11
    case embarrassed = 12
    case excited = 13
    case frustrated = 14
    case grateful = 15
    case guilty = 16
    case happy = 17
    case hopeless = 18
    case irritated = 19
    case jealous = 20
    case joyful = 21
    case lonely = 22
    case passionate = 23
    case peaceful = 24
    case proud = 25
    case relieved = 26
    case sad = 27
    case scared = 28
    case stressed = 29
    case surprised = 30
    case worried = 31
    case annoyed = 32
    case confident = 33
    case drained = 34
    case hopeful = 35
    case indifferent = 36
    case overwhelmed = 37
    case satisfied = 38
  }
}

extension HKStateOfMind {
  /// The pleasantness of a state of mind.
  public enum ValenceClassification: Int, Sendable {
    case veryUnpleasant = 1
    case unpleasant = 2
    case slightlyUnpleasant = 3
    case neutral = 4
    case slightlyPleasant = 5
    case pleasant = 6
    case veryPleasant = 7
  }
}

/// A swimming stroke: the value of `HKMetadataKeySwimmingStrokeStyle`.
public enum HKSwimmingStrokeStyle: Int, Sendable {
  case unknown = 0
  case mixed = 1
  case freestyle = 2
  case backstroke = 3
  case breaststroke = 4
  case butterfly = 5
  case kickboard = 6
}

/// The maximum frequency of background delivery.
public enum HKUpdateFrequency: Int, Sendable {
  case immediate = 1
  case hourly = 2
  case daily = 3
  case weekly = 4
}

/// The user's movement: the value of `HKMetadataKeyUserMotionContext`.
public enum HKUserMotionContext: Int, Sendable {
  case notSet = 0
  case stationary = 1
  case active = 2
}

/// The test by which a VO₂max was determined: the value of `HKMetadataKeyVO2MaxTestType`.
public enum HKVO2MaxTestType: Int, Sendable {
  case maxExercise = 1
  case predictionSubMaxExercise = 2
  case predictionNonExercise = 3
  case predictionStepTest = 4
}

/// An eye.
public enum HKVisionEye: Int, Sendable {
  case left = 1
  case right = 2
}

/// The kind of a vision prescription.
public enum HKVisionPrescriptionType: UInt, Sendable {
  case glasses = 1
  case contacts = 2
}

/// The salinity of the water of a swim: the value of `HKMetadataKeyWaterSalinity`.
public enum HKWaterSalinity: Int, Sendable {
  case freshWater = 1
  case saltWater = 2
}

/// The weather: the value of `HKMetadataKeyWeatherCondition`.
public enum HKWeatherCondition: Int, Sendable {
  case none = 0
  case clear = 1
  case fair = 2
  case partlyCloudy = 3
  case mostlyCloudy = 4
  case cloudy = 5
  case foggy = 6
  case haze = 7
  case windy = 8
  case blustery = 9
  case smoky = 10
  case dust = 11
  case snow = 12
  case hail = 13
  case sleet = 14
  case freezingDrizzle = 15
  case freezingRain = 16
  case mixedRainAndHail = 17
  case mixedRainAndSnow = 18
  case mixedRainAndSleet = 19
  case mixedSnowAndSleet = 20
  case drizzle = 21
  case scatteredShowers = 22
  case showers = 23
  case thunderstorms = 24
  case tropicalStorm = 25
  case hurricane = 26
  case tornado = 27
}

/// Whether the user uses a wheelchair.
public enum HKWheelchairUse: Int, Sendable {
  case notSet = 0
  case no = 1
  case yes = 2
}

/// The activity of a workout.
public enum HKWorkoutActivityType: UInt, Sendable {
  case americanFootball = 1
  case archery = 2
  case australianFootball = 3
  case badminton = 4
  case baseball = 5
  case basketball = 6
  case bowling = 7
  case boxing = 8
  case climbing = 9
  case cricket = 10
  case crossTraining = 11
  case curling = 12
  case cycling = 13
  case dance = 14
  case danceInspiredTraining = 15
  case elliptical = 16
  case equestrianSports = 17
  case fencing = 18
  case fishing = 19
  case functionalStrengthTraining = 20
  case golf = 21
  case gymnastics = 22
  case handball = 23
  case hiking = 24
  case hockey = 25
  case hunting = 26
  case lacrosse = 27
  case martialArts = 28
  case mindAndBody = 29
  case mixedMetabolicCardioTraining = 30
  case paddleSports = 31
  case play = 32
  case preparationAndRecovery = 33
  case racquetball = 34
  case rowing = 35
  case rugby = 36
  case running = 37
  case sailing = 38
  case skatingSports = 39
  case snowSports = 40
  case soccer = 41
  case softball = 42
  case squash = 43
  case stairClimbing = 44
  case surfingSports = 45
  case swimming = 46
  case tableTennis = 47
  case tennis = 48
  case trackAndField = 49
  case traditionalStrengthTraining = 50
  case volleyball = 51
  case walking = 52
  case waterFitness = 53
  case waterPolo = 54
  case waterSports = 55
  case wrestling = 56
  case yoga = 57
  case barre = 58
  case coreTraining = 59
  case crossCountrySkiing = 60
  case downhillSkiing = 61
  case flexibility = 62
  case highIntensityIntervalTraining = 63
  case jumpRope = 64
  case kickboxing = 65
  case pilates = 66
  case snowboarding = 67
  case stairs = 68
  case stepTraining = 69
  case wheelchairWalkPace = 70
  case wheelchairRunPace = 71
  case taiChi = 72
  case mixedCardio = 73
  case handCycling = 74
  case discSports = 75
  case fitnessGaming = 76
  case cardioDance = 77
  case socialDance = 78
  case pickleball = 79
  case cooldown = 80
  case swimBikeRun = 82
  case transition = 83
  case underwaterDiving = 84
  case other = 3000
}

/// The selection of effort samples that a query returns.
public enum HKWorkoutEffortRelationshipQueryOptions: Int, Sendable {
  case `default` = 0
  case mostRelevant = 1
}

/// The type of a workout event.
public enum HKWorkoutEventType: Int, Sendable {
  case pause = 1
  case resume = 2
  case lap = 3
  case marker = 4
  case motionPaused = 5
  case motionResumed = 6
  case segment = 7
  case pauseOrResumeRequest = 8
}

/// The location of a workout.
public enum HKWorkoutSessionLocationType: Int, Sendable {
  case unknown = 1
  case indoor = 2
  case outdoor = 3
}

/// The state of a workout session.
public enum HKWorkoutSessionState: Int, Sendable {
  case notStarted = 1
  case running = 2
  case ended = 3
  case paused = 4
  case prepared = 5
  case stopped = 6
}

/// Whether a workout session runs on this device or is mirrored from another one.
public enum HKWorkoutSessionType: Int, Sendable {
  case primary = 0
  case mirrored = 1
}

/// The kind of water of a swim.
public enum HKWorkoutSwimmingLocationType: Int, Sendable {
  case unknown = 0
  case pool = 1
  case openWater = 2
}
