/// The form in which a medication is made. Apple does not publish the raw values; here they are the
/// constants' names.
public struct HKMedicationGeneralForm: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKMedicationGeneralForm {
  public static let capsule = Self(rawValue: "HKMedicationGeneralFormCapsule")
  public static let cream = Self(rawValue: "HKMedicationGeneralFormCream")
  public static let device = Self(rawValue: "HKMedicationGeneralFormDevice")
  public static let drops = Self(rawValue: "HKMedicationGeneralFormDrops")
  public static let foam = Self(rawValue: "HKMedicationGeneralFormFoam")
  public static let gel = Self(rawValue: "HKMedicationGeneralFormGel")
  public static let inhaler = Self(rawValue: "HKMedicationGeneralFormInhaler")
  public static let injection = Self(rawValue: "HKMedicationGeneralFormInjection")
  public static let liquid = Self(rawValue: "HKMedicationGeneralFormLiquid")
  public static let lotion = Self(rawValue: "HKMedicationGeneralFormLotion")
  public static let ointment = Self(rawValue: "HKMedicationGeneralFormOintment")
  public static let patch = Self(rawValue: "HKMedicationGeneralFormPatch")
  public static let powder = Self(rawValue: "HKMedicationGeneralFormPowder")
  public static let spray = Self(rawValue: "HKMedicationGeneralFormSpray")
  public static let suppository = Self(rawValue: "HKMedicationGeneralFormSuppository")
  public static let tablet = Self(rawValue: "HKMedicationGeneralFormTablet")
  public static let topical = Self(rawValue: "HKMedicationGeneralFormTopical")
  public static let unknown = Self(rawValue: "HKMedicationGeneralFormUnknown")
}
