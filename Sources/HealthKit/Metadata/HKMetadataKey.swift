// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are Apple's.

// The predefined metadata keys of SDK 26 with the type of their value. Many raw strings differ from the name.

/// NSNumber (HKWorkoutActivityType raw value).
public let HKMetadataKeyActivityType = "HKActivityType"
/// NSNumber (integer).
public let HKMetadataKeyAlgorithmVersion = "HKAlgorithmVersion"
/// HKQuantity (percent unit).
public let HKMetadataKeyAlpineSlopeGrade = "HKAlpineSlopeGrade"
/// NSNumber (Bool), read-only.
public let HKMetadataKeyAppleDeviceCalibrated = "HKMetadataKeyAppleDeviceCalibrated"
/// NSNumber (HKAppleECGAlgorithmVersion raw value).
public let HKMetadataKeyAppleECGAlgorithmVersion = "HKMetadataKeyAppleECGAlgorithmVersion"
/// String.
public let HKMetadataKeyAppleFitnessPlusCatalogIdentifier = "HKMetadataKeyAppleFitnessPlusCatalogIdentifier"
/// NSNumber (Bool).
public let HKMetadataKeyAppleFitnessPlusSession = "HKMetadataKeyAppleFitnessPlusSession"
/// HKQuantity (time unit).
public let HKMetadataKeyAudioExposureDuration = "HKMetadataKeyAudioExposureDuration"
/// HKQuantity (dBASPL).
public let HKMetadataKeyAudioExposureLevel = "HKMetadataKeyAudioExposureLevel"
/// HKQuantity (METs (kcal/(kg*hr)) unit).
public let HKMetadataKeyAverageMETs = "HKAverageMETs"
/// HKQuantity (speed, m/s-compatible).
public let HKMetadataKeyAverageSpeed = "HKAverageSpeed"
/// HKQuantity (pressure (atmospheres, pascals, millimeters of Mercury)).
public let HKMetadataKeyBarometricPressure = "HKMetadataKeyBarometricPressure"
/// NSNumber (HKBloodGlucoseMealTime raw value).
public let HKMetadataKeyBloodGlucoseMealTime = "HKBloodGlucoseMealTime"
/// NSNumber (HKBodyTemperatureSensorLocation raw value).
public let HKMetadataKeyBodyTemperatureSensorLocation = "HKBodyTemperatureSensorLocation"
/// NSNumber (Bool).
public let HKMetadataKeyCoachedWorkout = "HKCoachedWorkout"
/// HKQuantity (length unit).
public let HKMetadataKeyCrossTrainerDistance = "HKCrossTrainerDistance"
/// NSNumber (HKCyclingFunctionalThresholdPowerTestType raw value).
public let HKMetadataKeyCyclingFunctionalThresholdPowerTestType =
  "HKCyclingCyclingFunctionalThresholdPowerTestType"
/// Date.
public let HKMetadataKeyDateOfEarliestDataUsedForEstimate = "HKDateOfEarliestDataUsedForEstimate"
/// String.
public let HKMetadataKeyDeviceManufacturerName = "HKDeviceManufacturerName"
/// String.
public let HKMetadataKeyDeviceName = "HKDeviceName"
/// NSNumber (HKDevicePlacementSide raw value).
public let HKMetadataKeyDevicePlacementSide = "HKMetadataKeyDevicePlacementSide"
/// String.
public let HKMetadataKeyDeviceSerialNumber = "HKDeviceSerialNumber"
/// String (base64 CMS signed data).
public let HKMetadataKeyDigitalSignature = "HKDigitalSignature"
/// HKQuantity (length unit).
public let HKMetadataKeyElevationAscended = "HKElevationAscended"
/// HKQuantity (length unit).
public let HKMetadataKeyElevationDescended = "HKElevationDescended"
/// String.
public let HKMetadataKeyExternalUUID = "HKExternalUUID"
/// HKQuantity (time unit).
public let HKMetadataKeyFitnessMachineDuration = "HKFitnessMachineDuration"
/// String.
public let HKMetadataKeyFoodType = "HKFoodType"
/// String.
public let HKMetadataKeyGlassesPrescriptionDescription = "HKMetadataKeyGlassesPrescriptionDescription"
/// NSNumber (Bool).
public let HKMetadataKeyGroupFitness = "HKGroupFitness"
/// HKQuantity (dBASPL).
public let HKMetadataKeyHeadphoneGain = "HKMetadataKeyHeadphoneGain"
/// HKQuantity (count/min-compatible).
public let HKMetadataKeyHeartRateEventThreshold = "HKHeartRateEventThreshold"
/// NSNumber (HKHeartRateMotionContext raw value).
public let HKMetadataKeyHeartRateMotionContext = "HKMetadataKeyHeartRateMotionContext"
/// HKQuantity (time unit).
public let HKMetadataKeyHeartRateRecoveryActivityDuration = "HKMetadataKeyHeartRateRecoveryActivityDuration"
/// NSNumber (HKWorkoutActivityType raw value).
public let HKMetadataKeyHeartRateRecoveryActivityType = "HKMetadataKeyHeartRateRecoveryActivityType"
/// HKQuantity (count/min).
public let HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate =
  "HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate"
/// NSNumber (HKHeartRateRecoveryTestType raw value).
public let HKMetadataKeyHeartRateRecoveryTestType = "HKMetadataKeyHeartRateRecoveryTestType"
/// NSNumber (HKHeartRateSensorLocation raw value).
public let HKMetadataKeyHeartRateSensorLocation = "HKHeartRateSensorLocation"
/// HKQuantity (length unit).
public let HKMetadataKeyIndoorBikeDistance = "HKIndoorBikeDistance"
/// NSNumber (Bool).
public let HKMetadataKeyIndoorWorkout = "HKIndoorWorkout"
/// NSNumber (HKInsulinDeliveryReason raw value).
public let HKMetadataKeyInsulinDeliveryReason = "HKInsulinDeliveryReason"
/// HKQuantity (length unit).
public let HKMetadataKeyLapLength = "HKLapLength"
/// HKQuantity (ml/(kg*min)).
public let HKMetadataKeyLowCardioFitnessEventThreshold = "HKLowCardioFitnessEventThreshold"
/// HKQuantity (lux).
public let HKMetadataKeyMaximumLightIntensity = "HKMetadataKeyMaximumLightIntensity"
/// HKQuantity (speed, m/s-compatible).
public let HKMetadataKeyMaximumSpeed = "HKMaximumSpeed"
/// NSNumber (Bool).
public let HKMetadataKeyMenstrualCycleStart = "HKMenstrualCycleStart"
/// NSNumber (HKPhysicalEffortEstimationType raw value).
public let HKMetadataKeyPhysicalEffortEstimationType = "HKPhysicalEffortEstimationType"
/// NSNumber (Bool).
public let HKMetadataKeyQuantityClampedToLowerBound = "HKMetadataKeyQuantityClampedToLowerBound"
/// NSNumber (Bool).
public let HKMetadataKeyQuantityClampedToUpperBound = "HKMetadataKeyQuantityClampedToUpperBound"
/// NSNumber.
public let HKMetadataKeyReferenceRangeLowerLimit = "HKReferenceRangeLowerLimit"
/// NSNumber.
public let HKMetadataKeyReferenceRangeUpperLimit = "HKReferenceRangeUpperLimit"
/// HKQuantity (unit compatible with the sample).
public let HKMetadataKeySessionEstimate = "HKMetadataKeySessionEstimate"
/// NSNumber (Bool).
public let HKMetadataKeySexualActivityProtectionUsed = "HKSexualActivityProtectionUsed"
/// NSNumber (HKWorkoutSwimmingLocationType raw value).
public let HKMetadataKeySwimmingLocationType = "HKSwimmingLocationType"
/// NSNumber (HKSwimmingStrokeStyle raw value).
public let HKMetadataKeySwimmingStrokeStyle = "HKSwimmingStrokeStyle"
/// NSNumber containing a score.
public let HKMetadataKeySWOLFScore = "HKSWOLFScore"
/// String.
public let HKMetadataKeySyncIdentifier = "HKMetadataKeySyncIdentifier"
/// NSNumber.
public let HKMetadataKeySyncVersion = "HKMetadataKeySyncVersion"
/// String (TimeZone identifier).
public let HKMetadataKeyTimeZone = "HKTimeZone"
/// String.
public let HKMetadataKeyUDIDeviceIdentifier = "HKUDIDeviceIdentifier"
/// String.
public let HKMetadataKeyUDIProductionIdentifier = "HKUDIProductionIdentifier"
/// NSNumber (HKUserMotionContext raw value).
public let HKMetadataKeyUserMotionContext = "HKMetadataKeyUserMotionContext"
/// NSNumber (HKVO2MaxTestType raw value).
public let HKMetadataKeyVO2MaxTestType = "HKVO2MaxTestType"
/// HKQuantity (ml/(kg*min)).
public let HKMetadataKeyVO2MaxValue = "HKVO2MaxValue"
/// NSNumber (Bool).
public let HKMetadataKeyWasTakenInLab = "HKWasTakenInLab"
/// NSNumber (Bool).
public let HKMetadataKeyWasUserEntered = "HKWasUserEntered"
/// NSNumber (HKWaterSalinity raw value).
public let HKMetadataKeyWaterSalinity = "HKMetadataKeyWaterSalinity"
/// NSNumber (HKWeatherCondition raw value).
public let HKMetadataKeyWeatherCondition = "HKWeatherCondition"
/// HKQuantity (percent).
public let HKMetadataKeyWeatherHumidity = "HKWeatherHumidity"
/// HKQuantity (temperature unit).
public let HKMetadataKeyWeatherTemperature = "HKWeatherTemperature"
/// String.
public let HKMetadataKeyWorkoutBrandName = "HKWorkoutBrandName"
