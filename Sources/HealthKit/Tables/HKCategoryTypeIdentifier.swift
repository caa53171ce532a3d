// Made from Data/category-types.tsv by scripts/generate. Change the data, not this file.

/// The name of a category type. The identifiers of SDK 26.
public struct HKCategoryTypeIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKCategoryTypeIdentifier {
  /// iOS 13.6.
  public static let abdominalCramps = Self(rawValue: "HKCategoryTypeIdentifierAbdominalCramps")
  /// iOS 13.6.
  public static let acne = Self(rawValue: "HKCategoryTypeIdentifierAcne")
  /// iOS 13.6.
  public static let appetiteChanges = Self(rawValue: "HKCategoryTypeIdentifierAppetiteChanges")
  /// iOS 9.0.
  public static let appleStandHour = Self(rawValue: "HKCategoryTypeIdentifierAppleStandHour")
  /// iOS 15.0.
  public static let appleWalkingSteadinessEvent = Self(
    rawValue: "HKCategoryTypeIdentifierAppleWalkingSteadinessEvent")
  /// iOS 13.0.
  public static let audioExposureEvent = Self(rawValue: "HKCategoryTypeIdentifierAudioExposureEvent")
  /// iOS 14.0.
  public static let bladderIncontinence = Self(rawValue: "HKCategoryTypeIdentifierBladderIncontinence")
  /// iOS 27.0.
  public static let bleedingAfterMenopause = Self(rawValue: "HKCategoryTypeIdentifierBleedingAfterMenopause")
  /// iOS 18.0.
  public static let bleedingAfterPregnancy = Self(rawValue: "HKCategoryTypeIdentifierBleedingAfterPregnancy")
  /// iOS 18.0.
  public static let bleedingDuringPregnancy = Self(
    rawValue: "HKCategoryTypeIdentifierBleedingDuringPregnancy")
  /// iOS 13.6.
  public static let bloating = Self(rawValue: "HKCategoryTypeIdentifierBloating")
  /// iOS 13.6.
  public static let breastPain = Self(rawValue: "HKCategoryTypeIdentifierBreastPain")
  /// iOS 9.0.
  public static let cervicalMucusQuality = Self(rawValue: "HKCategoryTypeIdentifierCervicalMucusQuality")
  /// iOS 13.6.
  public static let chestTightnessOrPain = Self(rawValue: "HKCategoryTypeIdentifierChestTightnessOrPain")
  /// iOS 13.6.
  public static let chills = Self(rawValue: "HKCategoryTypeIdentifierChills")
  /// iOS 13.6.
  public static let constipation = Self(rawValue: "HKCategoryTypeIdentifierConstipation")
  /// iOS 14.3.
  public static let contraceptive = Self(rawValue: "HKCategoryTypeIdentifierContraceptive")
  /// iOS 13.6.
  public static let coughing = Self(rawValue: "HKCategoryTypeIdentifierCoughing")
  /// iOS 13.6.
  public static let diarrhea = Self(rawValue: "HKCategoryTypeIdentifierDiarrhea")
  /// iOS 13.6.
  public static let dizziness = Self(rawValue: "HKCategoryTypeIdentifierDizziness")
  /// iOS 14.0.
  public static let drySkin = Self(rawValue: "HKCategoryTypeIdentifierDrySkin")
  /// iOS 14.0.
  public static let environmentalAudioExposureEvent = Self(
    rawValue: "HKCategoryTypeIdentifierAudioExposureEvent")
  /// iOS 13.6.
  public static let fainting = Self(rawValue: "HKCategoryTypeIdentifierFainting")
  /// iOS 13.6.
  public static let fatigue = Self(rawValue: "HKCategoryTypeIdentifierFatigue")
  /// iOS 13.6.
  public static let fever = Self(rawValue: "HKCategoryTypeIdentifierFever")
  /// iOS 13.6.
  public static let generalizedBodyAche = Self(rawValue: "HKCategoryTypeIdentifierGeneralizedBodyAche")
  /// iOS 14.0.
  public static let hairLoss = Self(rawValue: "HKCategoryTypeIdentifierHairLoss")
  /// iOS 14.0.
  public static let handwashingEvent = Self(rawValue: "HKCategoryTypeIdentifierHandwashingEvent")
  /// iOS 13.6.
  public static let headache = Self(rawValue: "HKCategoryTypeIdentifierHeadache")
  /// iOS 14.2.
  public static let headphoneAudioExposureEvent = Self(
    rawValue: "HKCategoryTypeIdentifierHeadphoneAudioExposureEvent")
  /// iOS 13.6.
  public static let heartburn = Self(rawValue: "HKCategoryTypeIdentifierHeartburn")
  /// iOS 12.2.
  public static let highHeartRateEvent = Self(rawValue: "HKCategoryTypeIdentifierHighHeartRateEvent")
  /// iOS 13.6.
  public static let hotFlashes = Self(rawValue: "HKCategoryTypeIdentifierHotFlashes")
  /// iOS 26.2.
  public static let hypertensionEvent = Self(rawValue: "HKCategoryTypeIdentifierHypertensionEvent")
  /// iOS 16.0.
  public static let infrequentMenstrualCycles = Self(
    rawValue: "HKCategoryTypeIdentifierInfrequentMenstrualCycles")
  /// iOS 9.0.
  public static let intermenstrualBleeding = Self(rawValue: "HKCategoryTypeIdentifierIntermenstrualBleeding")
  /// iOS 12.2.
  public static let irregularHeartRhythmEvent = Self(
    rawValue: "HKCategoryTypeIdentifierIrregularHeartRhythmEvent")
  /// iOS 16.0.
  public static let irregularMenstrualCycles = Self(
    rawValue: "HKCategoryTypeIdentifierIrregularMenstrualCycles")
  /// iOS 14.3.
  public static let lactation = Self(rawValue: "HKCategoryTypeIdentifierLactation")
  /// iOS 13.6.
  public static let lossOfSmell = Self(rawValue: "HKCategoryTypeIdentifierLossOfSmell")
  /// iOS 13.6.
  public static let lossOfTaste = Self(rawValue: "HKCategoryTypeIdentifierLossOfTaste")
  /// iOS 14.3.
  public static let lowCardioFitnessEvent = Self(rawValue: "HKCategoryTypeIdentifierLowCardioFitnessEvent")
  /// iOS 13.6.
  public static let lowerBackPain = Self(rawValue: "HKCategoryTypeIdentifierLowerBackPain")
  /// iOS 12.2.
  public static let lowHeartRateEvent = Self(rawValue: "HKCategoryTypeIdentifierLowHeartRateEvent")
  /// iOS 14.0.
  public static let memoryLapse = Self(rawValue: "HKCategoryTypeIdentifierMemoryLapse")
  /// iOS 9.0.
  public static let menstrualFlow = Self(rawValue: "HKCategoryTypeIdentifierMenstrualFlow")
  /// iOS 10.0.
  public static let mindfulSession = Self(rawValue: "HKCategoryTypeIdentifierMindfulSession")
  /// iOS 13.6.
  public static let moodChanges = Self(rawValue: "HKCategoryTypeIdentifierMoodChanges")
  /// iOS 13.6.
  public static let nausea = Self(rawValue: "HKCategoryTypeIdentifierNausea")
  /// iOS 14.0.
  public static let nightSweats = Self(rawValue: "HKCategoryTypeIdentifierNightSweats")
  /// iOS 9.0.
  public static let ovulationTestResult = Self(rawValue: "HKCategoryTypeIdentifierOvulationTestResult")
  /// iOS 13.6.
  public static let pelvicPain = Self(rawValue: "HKCategoryTypeIdentifierPelvicPain")
  /// iOS 16.0.
  public static let persistentIntermenstrualBleeding = Self(
    rawValue: "HKCategoryTypeIdentifierPersistentIntermenstrualBleeding")
  /// iOS 14.3.
  public static let pregnancy = Self(rawValue: "HKCategoryTypeIdentifierPregnancy")
  /// iOS 15.0.
  public static let pregnancyTestResult = Self(rawValue: "HKCategoryTypeIdentifierPregnancyTestResult")
  /// iOS 15.0.
  public static let progesteroneTestResult = Self(rawValue: "HKCategoryTypeIdentifierProgesteroneTestResult")
  /// iOS 16.0.
  public static let prolongedMenstrualPeriods = Self(
    rawValue: "HKCategoryTypeIdentifierProlongedMenstrualPeriods")
  /// iOS 13.6.
  public static let rapidPoundingOrFlutteringHeartbeat = Self(
    rawValue: "HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat")
  /// iOS 13.6.
  public static let runnyNose = Self(rawValue: "HKCategoryTypeIdentifierRunnyNose")
  /// iOS 9.0.
  public static let sexualActivity = Self(rawValue: "HKCategoryTypeIdentifierSexualActivity")
  /// iOS 13.6.
  public static let shortnessOfBreath = Self(rawValue: "HKCategoryTypeIdentifierShortnessOfBreath")
  /// iOS 13.6.
  public static let sinusCongestion = Self(rawValue: "HKCategoryTypeIdentifierSinusCongestion")
  /// iOS 13.6.
  public static let skippedHeartbeat = Self(rawValue: "HKCategoryTypeIdentifierSkippedHeartbeat")
  /// iOS 8.0.
  public static let sleepAnalysis = Self(rawValue: "HKCategoryTypeIdentifierSleepAnalysis")
  /// iOS 18.0.
  public static let sleepApneaEvent = Self(rawValue: "HKCategoryTypeIdentifierSleepApneaEvent")
  /// iOS 13.6.
  public static let sleepChanges = Self(rawValue: "HKCategoryTypeIdentifierSleepChanges")
  /// iOS 13.6.
  public static let soreThroat = Self(rawValue: "HKCategoryTypeIdentifierSoreThroat")
  /// iOS 13.0.
  public static let toothbrushingEvent = Self(rawValue: "HKCategoryTypeIdentifierToothbrushingEvent")
  /// iOS 14.0.
  public static let vaginalDryness = Self(rawValue: "HKCategoryTypeIdentifierVaginalDryness")
  /// iOS 13.6.
  public static let vomiting = Self(rawValue: "HKCategoryTypeIdentifierVomiting")
  /// iOS 13.6.
  public static let wheezing = Self(rawValue: "HKCategoryTypeIdentifierWheezing")
}

extension HKCategoryTypeIdentifier {
  /// Every identifier of the table.
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
