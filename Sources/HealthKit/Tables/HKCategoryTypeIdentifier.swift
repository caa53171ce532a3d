// Made from Data/category-types.tsv by scripts/generate. Change the data, not this file.

/// The name of a category type. The identifiers of SDK 26.
public struct HKCategoryTypeIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKCategoryTypeIdentifier {
  /// Available since iOS 13.6.
  public static let abdominalCramps = Self(rawValue: "HKCategoryTypeIdentifierAbdominalCramps")
  /// Available since iOS 13.6.
  public static let acne = Self(rawValue: "HKCategoryTypeIdentifierAcne")
  /// Available since iOS 13.6.
  public static let appetiteChanges = Self(rawValue: "HKCategoryTypeIdentifierAppetiteChanges")
  /// Available since iOS 9.0.
  public static let appleStandHour = Self(rawValue: "HKCategoryTypeIdentifierAppleStandHour")
  /// Available since iOS 15.0.
  public static let appleWalkingSteadinessEvent = Self(
    rawValue: "HKCategoryTypeIdentifierAppleWalkingSteadinessEvent")
  /// Available since iOS 13.0.
  public static let audioExposureEvent = Self(rawValue: "HKCategoryTypeIdentifierAudioExposureEvent")
  /// Available since iOS 14.0.
  public static let bladderIncontinence = Self(rawValue: "HKCategoryTypeIdentifierBladderIncontinence")
  /// Available since iOS 27.0.
  public static let bleedingAfterMenopause = Self(rawValue: "HKCategoryTypeIdentifierBleedingAfterMenopause")
  /// Available since iOS 18.0.
  public static let bleedingAfterPregnancy = Self(rawValue: "HKCategoryTypeIdentifierBleedingAfterPregnancy")
  /// Available since iOS 18.0.
  public static let bleedingDuringPregnancy = Self(
    rawValue: "HKCategoryTypeIdentifierBleedingDuringPregnancy")
  /// Available since iOS 13.6.
  public static let bloating = Self(rawValue: "HKCategoryTypeIdentifierBloating")
  /// Available since iOS 13.6.
  public static let breastPain = Self(rawValue: "HKCategoryTypeIdentifierBreastPain")
  /// Available since iOS 9.0.
  public static let cervicalMucusQuality = Self(rawValue: "HKCategoryTypeIdentifierCervicalMucusQuality")
  /// Available since iOS 13.6.
  public static let chestTightnessOrPain = Self(rawValue: "HKCategoryTypeIdentifierChestTightnessOrPain")
  /// Available since iOS 13.6.
  public static let chills = Self(rawValue: "HKCategoryTypeIdentifierChills")
  /// Available since iOS 13.6.
  public static let constipation = Self(rawValue: "HKCategoryTypeIdentifierConstipation")
  /// Available since iOS 14.3.
  public static let contraceptive = Self(rawValue: "HKCategoryTypeIdentifierContraceptive")
  /// Available since iOS 13.6.
  public static let coughing = Self(rawValue: "HKCategoryTypeIdentifierCoughing")
  /// Available since iOS 13.6.
  public static let diarrhea = Self(rawValue: "HKCategoryTypeIdentifierDiarrhea")
  /// Available since iOS 13.6.
  public static let dizziness = Self(rawValue: "HKCategoryTypeIdentifierDizziness")
  /// Available since iOS 14.0.
  public static let drySkin = Self(rawValue: "HKCategoryTypeIdentifierDrySkin")
  /// Available since iOS 14.0.
  public static let environmentalAudioExposureEvent = Self(
    rawValue: "HKCategoryTypeIdentifierAudioExposureEvent")
  /// Available since iOS 13.6.
  public static let fainting = Self(rawValue: "HKCategoryTypeIdentifierFainting")
  /// Available since iOS 13.6.
  public static let fatigue = Self(rawValue: "HKCategoryTypeIdentifierFatigue")
  /// Available since iOS 13.6.
  public static let fever = Self(rawValue: "HKCategoryTypeIdentifierFever")
  /// Available since iOS 13.6.
  public static let generalizedBodyAche = Self(rawValue: "HKCategoryTypeIdentifierGeneralizedBodyAche")
  /// Available since iOS 14.0.
  public static let hairLoss = Self(rawValue: "HKCategoryTypeIdentifierHairLoss")
  /// Available since iOS 14.0.
  public static let handwashingEvent = Self(rawValue: "HKCategoryTypeIdentifierHandwashingEvent")
  /// Available since iOS 13.6.
  public static let headache = Self(rawValue: "HKCategoryTypeIdentifierHeadache")
  /// Available since iOS 14.2.
  public static let headphoneAudioExposureEvent = Self(
    rawValue: "HKCategoryTypeIdentifierHeadphoneAudioExposureEvent")
  /// Available since iOS 13.6.
  public static let heartburn = Self(rawValue: "HKCategoryTypeIdentifierHeartburn")
  /// Available since iOS 12.2.
  public static let highHeartRateEvent = Self(rawValue: "HKCategoryTypeIdentifierHighHeartRateEvent")
  /// Available since iOS 13.6.
  public static let hotFlashes = Self(rawValue: "HKCategoryTypeIdentifierHotFlashes")
  /// Available since iOS 26.2.
  public static let hypertensionEvent = Self(rawValue: "HKCategoryTypeIdentifierHypertensionEvent")
  /// Available since iOS 16.0.
  public static let infrequentMenstrualCycles = Self(
    rawValue: "HKCategoryTypeIdentifierInfrequentMenstrualCycles")
  /// Available since iOS 9.0.
  public static let intermenstrualBleeding = Self(rawValue: "HKCategoryTypeIdentifierIntermenstrualBleeding")
  /// Available since iOS 12.2.
  public static let irregularHeartRhythmEvent = Self(
    rawValue: "HKCategoryTypeIdentifierIrregularHeartRhythmEvent")
  /// Available since iOS 16.0.
  public static let irregularMenstrualCycles = Self(
    rawValue: "HKCategoryTypeIdentifierIrregularMenstrualCycles")
  /// Available since iOS 14.3.
  public static let lactation = Self(rawValue: "HKCategoryTypeIdentifierLactation")
  /// Available since iOS 13.6.
  public static let lossOfSmell = Self(rawValue: "HKCategoryTypeIdentifierLossOfSmell")
  /// Available since iOS 13.6.
  public static let lossOfTaste = Self(rawValue: "HKCategoryTypeIdentifierLossOfTaste")
  /// Available since iOS 14.3.
  public static let lowCardioFitnessEvent = Self(rawValue: "HKCategoryTypeIdentifierLowCardioFitnessEvent")
  /// Available since iOS 13.6.
  public static let lowerBackPain = Self(rawValue: "HKCategoryTypeIdentifierLowerBackPain")
  /// Available since iOS 12.2.
  public static let lowHeartRateEvent = Self(rawValue: "HKCategoryTypeIdentifierLowHeartRateEvent")
  /// Available since iOS 14.0.
  public static let memoryLapse = Self(rawValue: "HKCategoryTypeIdentifierMemoryLapse")
  /// Available since iOS 9.0.
  public static let menstrualFlow = Self(rawValue: "HKCategoryTypeIdentifierMenstrualFlow")
  /// Available since iOS 10.0.
  public static let mindfulSession = Self(rawValue: "HKCategoryTypeIdentifierMindfulSession")
  /// Available since iOS 13.6.
  public static let moodChanges = Self(rawValue: "HKCategoryTypeIdentifierMoodChanges")
  /// Available since iOS 13.6.
  public static let nausea = Self(rawValue: "HKCategoryTypeIdentifierNausea")
  /// Available since iOS 14.0.
  public static let nightSweats = Self(rawValue: "HKCategoryTypeIdentifierNightSweats")
  /// Available since iOS 9.0.
  public static let ovulationTestResult = Self(rawValue: "HKCategoryTypeIdentifierOvulationTestResult")
  /// Available since iOS 13.6.
  public static let pelvicPain = Self(rawValue: "HKCategoryTypeIdentifierPelvicPain")
  /// Available since iOS 16.0.
  public static let persistentIntermenstrualBleeding = Self(
    rawValue: "HKCategoryTypeIdentifierPersistentIntermenstrualBleeding")
  /// Available since iOS 14.3.
  public static let pregnancy = Self(rawValue: "HKCategoryTypeIdentifierPregnancy")
  /// Available since iOS 15.0.
  public static let pregnancyTestResult = Self(rawValue: "HKCategoryTypeIdentifierPregnancyTestResult")
  /// Available since iOS 15.0.
  public static let progesteroneTestResult = Self(rawValue: "HKCategoryTypeIdentifierProgesteroneTestResult")
  /// Available since iOS 16.0.
  public static let prolongedMenstrualPeriods = Self(
    rawValue: "HKCategoryTypeIdentifierProlongedMenstrualPeriods")
  /// Available since iOS 13.6.
  public static let rapidPoundingOrFlutteringHeartbeat = Self(
    rawValue: "HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat")
  /// Available since iOS 13.6.
  public static let runnyNose = Self(rawValue: "HKCategoryTypeIdentifierRunnyNose")
  /// Available since iOS 9.0.
  public static let sexualActivity = Self(rawValue: "HKCategoryTypeIdentifierSexualActivity")
  /// Available since iOS 13.6.
  public static let shortnessOfBreath = Self(rawValue: "HKCategoryTypeIdentifierShortnessOfBreath")
  /// Available since iOS 13.6.
  public static let sinusCongestion = Self(rawValue: "HKCategoryTypeIdentifierSinusCongestion")
  /// Available since iOS 13.6.
  public static let skippedHeartbeat = Self(rawValue: "HKCategoryTypeIdentifierSkippedHeartbeat")
  /// Available since iOS 8.0.
  public static let sleepAnalysis = Self(rawValue: "HKCategoryTypeIdentifierSleepAnalysis")
  /// Available since iOS 18.0.
  public static let sleepApneaEvent = Self(rawValue: "HKCategoryTypeIdentifierSleepApneaEvent")
  /// Available since iOS 13.6.
  public static let sleepChanges = Self(rawValue: "HKCategoryTypeIdentifierSleepChanges")
  /// Available since iOS 13.6.
  public static let soreThroat = Self(rawValue: "HKCategoryTypeIdentifierSoreThroat")
  /// Available since iOS 13.0.
  public static let toothbrushingEvent = Self(rawValue: "HKCategoryTypeIdentifierToothbrushingEvent")
  /// Available since iOS 14.0.
  public static let vaginalDryness = Self(rawValue: "HKCategoryTypeIdentifierVaginalDryness")
  /// Available since iOS 13.6.
  public static let vomiting = Self(rawValue: "HKCategoryTypeIdentifierVomiting")
  /// Available since iOS 13.6.
  public static let wheezing = Self(rawValue: "HKCategoryTypeIdentifierWheezing")
}

extension HKCategoryTypeIdentifier {
  /// All identifiers.
  static let all: [Self] = [
    .abdominalCramps, .acne, .appetiteChanges, .appleStandHour, .appleWalkingSteadinessEvent,
    .audioExposureEvent, .bladderIncontinence, .bleedingAfterMenopause, .bleedingAfterPregnancy,
    .bleedingDuringPregnancy, .bloating, .breastPain, .cervicalMucusQuality, .chestTightnessOrPain, .chills,
    .constipation, .contraceptive, .coughing, .diarrhea, .dizziness, .drySkin,
    .environmentalAudioExposureEvent, .fainting, .fatigue, .fever, .generalizedBodyAche, .hairLoss,
    .handwashingEvent, .headache, .headphoneAudioExposureEvent, .heartburn, .highHeartRateEvent, .hotFlashes,
    .hypertensionEvent, .infrequentMenstrualCycles, .intermenstrualBleeding, .irregularHeartRhythmEvent,
    .irregularMenstrualCycles, .lactation, .lossOfSmell, .lossOfTaste, .lowCardioFitnessEvent, .lowerBackPain,
    .lowHeartRateEvent, .memoryLapse, .menstrualFlow, .mindfulSession, .moodChanges, .nausea, .nightSweats,
    .ovulationTestResult, .pelvicPain, .persistentIntermenstrualBleeding, .pregnancy, .pregnancyTestResult,
    .progesteroneTestResult, .prolongedMenstrualPeriods, .rapidPoundingOrFlutteringHeartbeat, .runnyNose,
    .sexualActivity, .shortnessOfBreath, .sinusCongestion, .skippedHeartbeat, .sleepAnalysis,
    .sleepApneaEvent, .sleepChanges, .soreThroat, .toothbrushingEvent, .vaginalDryness, .vomiting, .wheezing,
  ]
}
