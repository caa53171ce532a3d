// Made from Data/metadata-keys.tsv by scripts/generate. Change the data, not this file.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The raw value of an `HKWorkoutActivityType` as NSNumber. iOS 17.0.
public let HKMetadataKeyActivityType = "HKActivityType"

/// An NSNumber. iOS 15.0.
public let HKMetadataKeyAlgorithmVersion = "HKAlgorithmVersion"

/// An HKQuantity in a unit compatible with %. iOS 11.2.
public let HKMetadataKeyAlpineSlopeGrade = "HKAlpineSlopeGrade"

/// A Bool as NSNumber. iOS 14.0.
public let HKMetadataKeyAppleDeviceCalibrated = "HKMetadataKeyAppleDeviceCalibrated"

/// The raw value of an `HKAppleECGAlgorithmVersion` as NSNumber. iOS 14.0.
public let HKMetadataKeyAppleECGAlgorithmVersion = "HKMetadataKeyAppleECGAlgorithmVersion"

/// A String. iOS 18.2.
public let HKMetadataKeyAppleFitnessPlusCatalogIdentifier = "HKMetadataKeyAppleFitnessPlusCatalogIdentifier"

/// A Bool as NSNumber. iOS 17.0.
public let HKMetadataKeyAppleFitnessPlusSession = "HKMetadataKeyAppleFitnessPlusSession"

/// An HKQuantity in a unit compatible with s. iOS 14.2.
public let HKMetadataKeyAudioExposureDuration = "HKMetadataKeyAudioExposureDuration"

/// An HKQuantity in a unit compatible with dBASPL. iOS 13.0.
public let HKMetadataKeyAudioExposureLevel = "HKMetadataKeyAudioExposureLevel"

/// An HKQuantity in a unit compatible with kcal/(kg*hr). iOS 13.0.
public let HKMetadataKeyAverageMETs = "HKAverageMETs"

/// An HKQuantity in a unit compatible with m/s. iOS 11.2.
public let HKMetadataKeyAverageSpeed = "HKAverageSpeed"

/// An HKQuantity in a unit compatible with Pa. iOS 14.0.
public let HKMetadataKeyBarometricPressure = "HKMetadataKeyBarometricPressure"

/// The raw value of an `HKBloodGlucoseMealTime` as NSNumber. iOS 11.0.
public let HKMetadataKeyBloodGlucoseMealTime = "HKBloodGlucoseMealTime"

/// The raw value of an `HKBodyTemperatureSensorLocation` as NSNumber. iOS 8.0.
public let HKMetadataKeyBodyTemperatureSensorLocation = "HKBodyTemperatureSensorLocation"

/// A Bool as NSNumber. iOS 8.0.
public let HKMetadataKeyCoachedWorkout = "HKCoachedWorkout"

/// An HKQuantity in a unit compatible with m. iOS 12.0.
public let HKMetadataKeyCrossTrainerDistance = "HKCrossTrainerDistance"

/// The raw value of an `HKCyclingFunctionalThresholdPowerTestType` as NSNumber. iOS 17.0.
public let HKMetadataKeyCyclingFunctionalThresholdPowerTestType =
  "HKCyclingCyclingFunctionalThresholdPowerTestType"

/// A Date. iOS 15.0.
public let HKMetadataKeyDateOfEarliestDataUsedForEstimate = "HKDateOfEarliestDataUsedForEstimate"

/// A String. iOS 8.0.
public let HKMetadataKeyDeviceManufacturerName = "HKDeviceManufacturerName"

/// A String. iOS 8.0.
public let HKMetadataKeyDeviceName = "HKDeviceName"

/// The raw value of an `HKDevicePlacementSide` as NSNumber. iOS 14.0.
public let HKMetadataKeyDevicePlacementSide = "HKMetadataKeyDevicePlacementSide"

/// A String. iOS 8.0.
public let HKMetadataKeyDeviceSerialNumber = "HKDeviceSerialNumber"

/// A String. iOS 8.0.
public let HKMetadataKeyDigitalSignature = "HKDigitalSignature"

/// An HKQuantity in a unit compatible with m. iOS 11.2.
public let HKMetadataKeyElevationAscended = "HKElevationAscended"

/// An HKQuantity in a unit compatible with m. iOS 11.2.
public let HKMetadataKeyElevationDescended = "HKElevationDescended"

/// A String. iOS 8.0.
public let HKMetadataKeyExternalUUID = "HKExternalUUID"

/// An HKQuantity in a unit compatible with s. iOS 12.0.
public let HKMetadataKeyFitnessMachineDuration = "HKFitnessMachineDuration"

/// A String. iOS 8.0.
public let HKMetadataKeyFoodType = "HKFoodType"

/// A String. iOS 16.0.
public let HKMetadataKeyGlassesPrescriptionDescription = "HKMetadataKeyGlassesPrescriptionDescription"

/// A Bool as NSNumber. iOS 8.0.
public let HKMetadataKeyGroupFitness = "HKGroupFitness"

/// An HKQuantity in a unit compatible with dBASPL. iOS 16.4.
public let HKMetadataKeyHeadphoneGain = "HKMetadataKeyHeadphoneGain"

/// An HKQuantity in a unit compatible with count/min. iOS 12.2.
public let HKMetadataKeyHeartRateEventThreshold = "HKHeartRateEventThreshold"

/// The raw value of an `HKHeartRateMotionContext` as NSNumber. iOS 11.0.
public let HKMetadataKeyHeartRateMotionContext = "HKMetadataKeyHeartRateMotionContext"

/// An HKQuantity in a unit compatible with s. iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryActivityDuration = "HKMetadataKeyHeartRateRecoveryActivityDuration"

/// The raw value of an `HKWorkoutActivityType` as NSNumber. iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryActivityType = "HKMetadataKeyHeartRateRecoveryActivityType"

/// An HKQuantity in a unit compatible with count/min. iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate =
  "HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate"

/// The raw value of an `HKHeartRateRecoveryTestType` as NSNumber. iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryTestType = "HKMetadataKeyHeartRateRecoveryTestType"

/// The raw value of an `HKHeartRateSensorLocation` as NSNumber. iOS 8.0.
public let HKMetadataKeyHeartRateSensorLocation = "HKHeartRateSensorLocation"

/// An HKQuantity in a unit compatible with m. iOS 12.0.
public let HKMetadataKeyIndoorBikeDistance = "HKIndoorBikeDistance"

/// A Bool as NSNumber. iOS 8.0.
public let HKMetadataKeyIndoorWorkout = "HKIndoorWorkout"

/// The raw value of an `HKInsulinDeliveryReason` as NSNumber. iOS 11.0.
public let HKMetadataKeyInsulinDeliveryReason = "HKInsulinDeliveryReason"

/// An HKQuantity in a unit compatible with m. iOS 10.0.
public let HKMetadataKeyLapLength = "HKLapLength"

/// An HKQuantity in a unit compatible with mL/(kg*min). iOS 14.3.
public let HKMetadataKeyLowCardioFitnessEventThreshold = "HKLowCardioFitnessEventThreshold"

/// An HKQuantity in a unit compatible with lx. iOS 17.0.
public let HKMetadataKeyMaximumLightIntensity = "HKMetadataKeyMaximumLightIntensity"

/// An HKQuantity in a unit compatible with m/s. iOS 11.2.
public let HKMetadataKeyMaximumSpeed = "HKMaximumSpeed"

/// A Bool as NSNumber. iOS 9.0.
public let HKMetadataKeyMenstrualCycleStart = "HKMenstrualCycleStart"

/// The raw value of an `HKPhysicalEffortEstimationType` as NSNumber. iOS 17.0.
public let HKMetadataKeyPhysicalEffortEstimationType = "HKPhysicalEffortEstimationType"

/// A Bool as NSNumber. iOS 16.0.
public let HKMetadataKeyQuantityClampedToLowerBound = "HKMetadataKeyQuantityClampedToLowerBound"

/// A Bool as NSNumber. iOS 16.0.
public let HKMetadataKeyQuantityClampedToUpperBound = "HKMetadataKeyQuantityClampedToUpperBound"

/// An NSNumber. iOS 8.0.
public let HKMetadataKeyReferenceRangeLowerLimit = "HKReferenceRangeLowerLimit"

/// An NSNumber. iOS 8.0.
public let HKMetadataKeyReferenceRangeUpperLimit = "HKReferenceRangeUpperLimit"

/// An HKQuantity in a unit that fits the sample. iOS 16.0.
public let HKMetadataKeySessionEstimate = "HKMetadataKeySessionEstimate"

/// A Bool as NSNumber. iOS 9.0.
public let HKMetadataKeySexualActivityProtectionUsed = "HKSexualActivityProtectionUsed"

/// The raw value of an `HKWorkoutSwimmingLocationType` as NSNumber. iOS 10.0.
public let HKMetadataKeySwimmingLocationType = "HKSwimmingLocationType"

/// The raw value of an `HKSwimmingStrokeStyle` as NSNumber. iOS 10.0.
public let HKMetadataKeySwimmingStrokeStyle = "HKSwimmingStrokeStyle"

/// An NSNumber. iOS 16.0.
public let HKMetadataKeySWOLFScore = "HKSWOLFScore"

/// A String. iOS 11.0.
public let HKMetadataKeySyncIdentifier = "HKMetadataKeySyncIdentifier"

/// An NSNumber. iOS 11.0.
public let HKMetadataKeySyncVersion = "HKMetadataKeySyncVersion"

/// A String. iOS 8.0.
public let HKMetadataKeyTimeZone = "HKTimeZone"

/// A String. iOS 8.0.
public let HKMetadataKeyUDIDeviceIdentifier = "HKUDIDeviceIdentifier"

/// A String. iOS 8.0.
public let HKMetadataKeyUDIProductionIdentifier = "HKUDIProductionIdentifier"

/// The raw value of an `HKUserMotionContext` as NSNumber. iOS 16.0.
public let HKMetadataKeyUserMotionContext = "HKMetadataKeyUserMotionContext"

/// The raw value of an `HKVO2MaxTestType` as NSNumber. iOS 11.0.
public let HKMetadataKeyVO2MaxTestType = "HKVO2MaxTestType"

/// An HKQuantity in a unit compatible with mL/(kg*min). iOS 14.3.
public let HKMetadataKeyVO2MaxValue = "HKVO2MaxValue"

/// A Bool as NSNumber. iOS 8.0.
public let HKMetadataKeyWasTakenInLab = "HKWasTakenInLab"

/// A Bool as NSNumber. iOS 8.0.
public let HKMetadataKeyWasUserEntered = "HKWasUserEntered"

/// The raw value of an `HKWaterSalinity` as NSNumber. iOS 17.0.
public let HKMetadataKeyWaterSalinity = "HKMetadataKeyWaterSalinity"

/// The raw value of an `HKWeatherCondition` as NSNumber. iOS 10.0.
public let HKMetadataKeyWeatherCondition = "HKWeatherCondition"

/// An HKQuantity in a unit compatible with %. iOS 10.0.
public let HKMetadataKeyWeatherHumidity = "HKWeatherHumidity"

/// An HKQuantity in a unit compatible with degC. iOS 10.0.
public let HKMetadataKeyWeatherTemperature = "HKWeatherTemperature"

/// A String. iOS 8.0.
public let HKMetadataKeyWorkoutBrandName = "HKWorkoutBrandName"
