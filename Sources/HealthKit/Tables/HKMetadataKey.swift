// Made from Data/metadata-keys.tsv by scripts/generate. Change the data, not this file.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The value is the raw value of an `HKWorkoutActivityType` as NSNumber. Available since iOS 17.0.
public let HKMetadataKeyActivityType = "HKActivityType"

/// The value is an NSNumber. Available since iOS 15.0.
public let HKMetadataKeyAlgorithmVersion = "HKAlgorithmVersion"

/// The value is an HKQuantity in a unit compatible with %. Available since iOS 11.2.
public let HKMetadataKeyAlpineSlopeGrade = "HKAlpineSlopeGrade"

/// The value is a Bool as NSNumber. Available since iOS 14.0.
public let HKMetadataKeyAppleDeviceCalibrated = "HKMetadataKeyAppleDeviceCalibrated"

/// The value is the raw value of an `HKAppleECGAlgorithmVersion` as NSNumber. Available since iOS 14.0.
public let HKMetadataKeyAppleECGAlgorithmVersion = "HKMetadataKeyAppleECGAlgorithmVersion"

/// The value is a String. Available since iOS 18.2.
public let HKMetadataKeyAppleFitnessPlusCatalogIdentifier = "HKMetadataKeyAppleFitnessPlusCatalogIdentifier"

/// The value is a Bool as NSNumber. Available since iOS 17.0.
public let HKMetadataKeyAppleFitnessPlusSession = "HKMetadataKeyAppleFitnessPlusSession"

/// The value is an HKQuantity in a unit compatible with s. Available since iOS 14.2.
public let HKMetadataKeyAudioExposureDuration = "HKMetadataKeyAudioExposureDuration"

/// The value is an HKQuantity in a unit compatible with dBASPL. Available since iOS 13.0.
public let HKMetadataKeyAudioExposureLevel = "HKMetadataKeyAudioExposureLevel"

/// The value is an HKQuantity in a unit compatible with kcal/(kg*hr). Available since iOS 13.0.
public let HKMetadataKeyAverageMETs = "HKAverageMETs"

/// The value is an HKQuantity in a unit compatible with m/s. Available since iOS 11.2.
public let HKMetadataKeyAverageSpeed = "HKAverageSpeed"

/// The value is an HKQuantity in a unit compatible with Pa. Available since iOS 14.0.
public let HKMetadataKeyBarometricPressure = "HKMetadataKeyBarometricPressure"

/// The value is the raw value of an `HKBloodGlucoseMealTime` as NSNumber. Available since iOS 11.0.
public let HKMetadataKeyBloodGlucoseMealTime = "HKBloodGlucoseMealTime"

/// The value is the raw value of an `HKBodyTemperatureSensorLocation` as NSNumber. Available since iOS 8.0.
public let HKMetadataKeyBodyTemperatureSensorLocation = "HKBodyTemperatureSensorLocation"

/// The value is a Bool as NSNumber. Available since iOS 8.0.
public let HKMetadataKeyCoachedWorkout = "HKCoachedWorkout"

/// The value is an HKQuantity in a unit compatible with m. Available since iOS 12.0.
public let HKMetadataKeyCrossTrainerDistance = "HKCrossTrainerDistance"

/// The value is the raw value of an `HKCyclingFunctionalThresholdPowerTestType` as NSNumber. Available since
/// iOS 17.0.
public let HKMetadataKeyCyclingFunctionalThresholdPowerTestType =
  "HKCyclingCyclingFunctionalThresholdPowerTestType"

/// The value is a Date. Available since iOS 15.0.
public let HKMetadataKeyDateOfEarliestDataUsedForEstimate = "HKDateOfEarliestDataUsedForEstimate"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyDeviceManufacturerName = "HKDeviceManufacturerName"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyDeviceName = "HKDeviceName"

/// The value is the raw value of an `HKDevicePlacementSide` as NSNumber. Available since iOS 14.0.
public let HKMetadataKeyDevicePlacementSide = "HKMetadataKeyDevicePlacementSide"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyDeviceSerialNumber = "HKDeviceSerialNumber"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyDigitalSignature = "HKDigitalSignature"

/// The value is an HKQuantity in a unit compatible with m. Available since iOS 11.2.
public let HKMetadataKeyElevationAscended = "HKElevationAscended"

/// The value is an HKQuantity in a unit compatible with m. Available since iOS 11.2.
public let HKMetadataKeyElevationDescended = "HKElevationDescended"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyExternalUUID = "HKExternalUUID"

/// The value is an HKQuantity in a unit compatible with s. Available since iOS 12.0.
public let HKMetadataKeyFitnessMachineDuration = "HKFitnessMachineDuration"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyFoodType = "HKFoodType"

/// The value is a String. Available since iOS 16.0.
public let HKMetadataKeyGlassesPrescriptionDescription = "HKMetadataKeyGlassesPrescriptionDescription"

/// The value is a Bool as NSNumber. Available since iOS 8.0.
public let HKMetadataKeyGroupFitness = "HKGroupFitness"

/// The value is an HKQuantity in a unit compatible with dBASPL. Available since iOS 16.4.
public let HKMetadataKeyHeadphoneGain = "HKMetadataKeyHeadphoneGain"

/// The value is an HKQuantity in a unit compatible with count/min. Available since iOS 12.2.
public let HKMetadataKeyHeartRateEventThreshold = "HKHeartRateEventThreshold"

/// The value is the raw value of an `HKHeartRateMotionContext` as NSNumber. Available since iOS 11.0.
public let HKMetadataKeyHeartRateMotionContext = "HKMetadataKeyHeartRateMotionContext"

/// The value is an HKQuantity in a unit compatible with s. Available since iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryActivityDuration = "HKMetadataKeyHeartRateRecoveryActivityDuration"

/// The value is the raw value of an `HKWorkoutActivityType` as NSNumber. Available since iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryActivityType = "HKMetadataKeyHeartRateRecoveryActivityType"

/// The value is an HKQuantity in a unit compatible with count/min. Available since iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate =
  "HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate"

/// The value is the raw value of an `HKHeartRateRecoveryTestType` as NSNumber. Available since iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryTestType = "HKMetadataKeyHeartRateRecoveryTestType"

/// The value is the raw value of an `HKHeartRateSensorLocation` as NSNumber. Available since iOS 8.0.
public let HKMetadataKeyHeartRateSensorLocation = "HKHeartRateSensorLocation"

/// The value is an HKQuantity in a unit compatible with m. Available since iOS 12.0.
public let HKMetadataKeyIndoorBikeDistance = "HKIndoorBikeDistance"

/// The value is a Bool as NSNumber. Available since iOS 8.0.
public let HKMetadataKeyIndoorWorkout = "HKIndoorWorkout"

/// The value is the raw value of an `HKInsulinDeliveryReason` as NSNumber. Available since iOS 11.0.
public let HKMetadataKeyInsulinDeliveryReason = "HKInsulinDeliveryReason"

/// The value is an HKQuantity in a unit compatible with m. Available since iOS 10.0.
public let HKMetadataKeyLapLength = "HKLapLength"

/// The value is an HKQuantity in a unit compatible with mL/(kg*min). Available since iOS 14.3.
public let HKMetadataKeyLowCardioFitnessEventThreshold = "HKLowCardioFitnessEventThreshold"

/// The value is an HKQuantity in a unit compatible with lx. Available since iOS 17.0.
public let HKMetadataKeyMaximumLightIntensity = "HKMetadataKeyMaximumLightIntensity"

/// The value is an HKQuantity in a unit compatible with m/s. Available since iOS 11.2.
public let HKMetadataKeyMaximumSpeed = "HKMaximumSpeed"

/// The value is a Bool as NSNumber. Available since iOS 9.0.
public let HKMetadataKeyMenstrualCycleStart = "HKMenstrualCycleStart"

/// The value is the raw value of an `HKPhysicalEffortEstimationType` as NSNumber. Available since iOS 17.0.
public let HKMetadataKeyPhysicalEffortEstimationType = "HKPhysicalEffortEstimationType"

/// The value is a Bool as NSNumber. Available since iOS 16.0.
public let HKMetadataKeyQuantityClampedToLowerBound = "HKMetadataKeyQuantityClampedToLowerBound"

/// The value is a Bool as NSNumber. Available since iOS 16.0.
public let HKMetadataKeyQuantityClampedToUpperBound = "HKMetadataKeyQuantityClampedToUpperBound"

/// The value is an NSNumber. Available since iOS 8.0.
public let HKMetadataKeyReferenceRangeLowerLimit = "HKReferenceRangeLowerLimit"

/// The value is an NSNumber. Available since iOS 8.0.
public let HKMetadataKeyReferenceRangeUpperLimit = "HKReferenceRangeUpperLimit"

/// The value is an HKQuantity in a unit that fits the sample. Available since iOS 16.0.
public let HKMetadataKeySessionEstimate = "HKMetadataKeySessionEstimate"

/// The value is a Bool as NSNumber. Available since iOS 9.0.
public let HKMetadataKeySexualActivityProtectionUsed = "HKSexualActivityProtectionUsed"

/// The value is the raw value of an `HKWorkoutSwimmingLocationType` as NSNumber. Available since iOS 10.0.
public let HKMetadataKeySwimmingLocationType = "HKSwimmingLocationType"

/// The value is the raw value of an `HKSwimmingStrokeStyle` as NSNumber. Available since iOS 10.0.
public let HKMetadataKeySwimmingStrokeStyle = "HKSwimmingStrokeStyle"

/// The value is an NSNumber. Available since iOS 16.0.
public let HKMetadataKeySWOLFScore = "HKSWOLFScore"

/// The value is a String. Available since iOS 11.0.
public let HKMetadataKeySyncIdentifier = "HKMetadataKeySyncIdentifier"

/// The value is an NSNumber. Available since iOS 11.0.
public let HKMetadataKeySyncVersion = "HKMetadataKeySyncVersion"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyTimeZone = "HKTimeZone"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyUDIDeviceIdentifier = "HKUDIDeviceIdentifier"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyUDIProductionIdentifier = "HKUDIProductionIdentifier"

/// The value is the raw value of an `HKUserMotionContext` as NSNumber. Available since iOS 16.0.
public let HKMetadataKeyUserMotionContext = "HKMetadataKeyUserMotionContext"

/// The value is the raw value of an `HKVO2MaxTestType` as NSNumber. Available since iOS 11.0.
public let HKMetadataKeyVO2MaxTestType = "HKVO2MaxTestType"

/// The value is an HKQuantity in a unit compatible with mL/(kg*min). Available since iOS 14.3.
public let HKMetadataKeyVO2MaxValue = "HKVO2MaxValue"

/// The value is a Bool as NSNumber. Available since iOS 8.0.
public let HKMetadataKeyWasTakenInLab = "HKWasTakenInLab"

/// The value is a Bool as NSNumber. Available since iOS 8.0.
public let HKMetadataKeyWasUserEntered = "HKWasUserEntered"

/// The value is the raw value of an `HKWaterSalinity` as NSNumber. Available since iOS 17.0.
public let HKMetadataKeyWaterSalinity = "HKMetadataKeyWaterSalinity"

/// The value is the raw value of an `HKWeatherCondition` as NSNumber. Available since iOS 10.0.
public let HKMetadataKeyWeatherCondition = "HKWeatherCondition"

/// The value is an HKQuantity in a unit compatible with %. Available since iOS 10.0.
public let HKMetadataKeyWeatherHumidity = "HKWeatherHumidity"

/// The value is an HKQuantity in a unit compatible with degC. Available since iOS 10.0.
public let HKMetadataKeyWeatherTemperature = "HKWeatherTemperature"

/// The value is a String. Available since iOS 8.0.
public let HKMetadataKeyWorkoutBrandName = "HKWorkoutBrandName"
