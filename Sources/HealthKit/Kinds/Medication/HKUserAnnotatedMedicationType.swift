/// The type of medications that the user keeps, which the user permits to be read one by one.
// @unchecked: as for HKObjectType.
public final class HKUserAnnotatedMedicationType: HKObjectType, @unchecked Sendable {
  public override func requiresPerObjectAuthorization() -> Bool { true }
}
