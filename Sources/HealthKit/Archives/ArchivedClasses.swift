import Foundation
import HealthFormats

/// The classes of this module, keyed by their names in archives.
enum ArchivedClasses {
  private static let classes: [ArchivableClass] = [
    // Classes of object types.
    HKObjectType.self, HKSampleType.self, HKQuantityType.self, HKCategoryType.self, HKCharacteristicType.self,
    HKCorrelationType.self, HKDocumentType.self, HKWorkoutType.self, HKSeriesType.self,
    HKAudiogramSampleType.self, HKElectrocardiogramType.self, HKPrescriptionType.self, HKClinicalType.self,
    HKScoredAssessmentType.self, HKStateOfMindType.self, HKMedicationDoseEventType.self,
    HKActivitySummaryType.self, HKUserAnnotatedMedicationType.self, VerifiableClinicalRecordType.self,
    // Classes of values that objects contain.
    HKUnit.self, HKQuantity.self, HKSource.self, HKSourceRevision.self, HKDevice.self, HKQueryAnchor.self,
    // Classes of objects.
    HKObject.self, HKSample.self, HKDeletedObject.self, HKQuantitySample.self,
    HKCumulativeQuantitySample.self,
    HKDiscreteQuantitySample.self, HKCategorySample.self, HKCorrelation.self, HKSeriesSample.self,
    HKHeartbeatSeriesSample.self, HKWorkoutRoute.self, HKWorkout.self, HKWorkoutEvent.self,
    HKWorkoutActivity.self, HKWorkoutConfiguration.self, HKElectrocardiogram.self, HKAudiogramSample.self,
    HKAudiogramSensitivityPoint.self, HKAudiogramSensitivityTest.self,
    HKAudiogramSensitivityPointClampingRange.self, HKStateOfMind.self, HKScoredAssessment.self,
    HKGAD7Assessment.self, HKPHQ9Assessment.self, HKVisionPrescription.self, HKGlassesPrescription.self,
    HKContactsPrescription.self, HKDocumentSample.self, HKCDADocumentSample.self, HKClinicalRecord.self,
    HKVerifiableClinicalRecord.self, HKMedicationDoseEvent.self,
    // Parts of objects, and objects that are not samples.
    HKLensSpecification.self, HKGlassesLensSpecification.self, HKContactsLensSpecification.self,
    HKVisionPrism.self, HKFHIRResource.self, HKFHIRVersion.self, HKVerifiableClinicalRecordSubject.self,
    HKUserAnnotatedMedication.self, HKMedicationConcept.self, HKHealthConceptIdentifier.self,
    HKClinicalCoding.self, HKActivitySummary.self, HKBiologicalSexObject.self, HKBloodTypeObject.self,
    HKFitzpatrickSkinTypeObject.self, HKWheelchairUseObject.self, HKActivityMoveModeObject.self,
    HKWorkoutEffortRelationship.self, HKAttachment.self,
  ]

  /// Names of Apple's private unit classes that occur in archives. Apple's framework has one class for each
  /// dimension.
  private static let units = [
    "HKBaseUnit", "_HKBaseUnit", "_HKCompoundUnit", "_HKFactorizationUnit", "HKTimeUnit", "HKLengthUnit",
    "HKMassUnit", "HKVolumeUnit", "HKPressureUnit", "HKEnergyUnit", "HKTemperatureUnit", "HKScalarUnit",
    "HKConductanceUnit", "HKElectricalConductanceUnit", "HKPharmacologyUnit", "HKFrequencyUnit",
    "HKElectricPotentialDifferenceUnit", "HKPowerUnit", "HKHearingSensitivityUnit",
    "HKSoundPressureLevelUnit",
  ]

  private static let table: [String: ArchivableClass] = {
    var table: [String: ArchivableClass] = [:]
    for type in classes {
      table[plainName(type)] = type
      // Also accept the class name with its module. Foundation on Linux writes it for objects in an array,
      // and older versions of this module wrote it.
      table[moduleName(type)] = type
    }
    for name in units { table[name] = HKUnit.self }
    return table
  }()

  /// Registers the classes with Foundation's `NSKeyedUnarchiver`, for programs that decode archives with it.
  /// The first access registers them.
  static let areKnownToFoundation: Bool = {
    for (name, type) in table { NSKeyedUnarchiver.setClass(type, forClassName: name) }
    return true
  }()

  /// Replaces the class names in an archive written by Foundation, which include the module, with Apple's
  /// class names.
  static let plainNames = ArchivedClassNames(
    Dictionary(classes.map { (moduleName($0), plainName($0)) }) { first, _ in first })

  private static func plainName(_ type: ArchivableClass) -> String { String(describing: type) }
  private static func moduleName(_ type: ArchivableClass) -> String { NSStringFromClass(type) }

  /// Decodes an archive whose root object has the given class.
  /// - Throws: An error that says where the archive is malformed.
  static func unarchive<Root: NSObject & NSSecureCoding>(
    _ type: Root.Type, containing elements: [AnyClass] = [], from data: Data
  ) throws -> Root {
    _ = areKnownToFoundation
    return try SecureUnarchiver.unarchive(type, containing: elements, from: data, classes: table)
  }
}
