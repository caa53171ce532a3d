/// The type of prescriptions, which the user permits to be read one by one.
// @unchecked: as for HKObjectType.
public final class HKPrescriptionType: HKSampleType, @unchecked Sendable {
  /// A prescription need not expire.
  package override var isOpenEnded: Bool { true }

  public override func requiresPerObjectAuthorization() -> Bool { true }
}
