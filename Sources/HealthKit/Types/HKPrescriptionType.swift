/// The type of prescriptions, which the user permits to be read one by one.
// @unchecked: as for HKObjectType.
public final class HKPrescriptionType: HKSampleType, @unchecked Sendable {
  public override func requiresPerObjectAuthorization() -> Bool { true }
}
