/// The type of verifiable clinical records. Apple's framework has no name for it: such records are asked for
/// by what they attest. Programs read them and cannot save them.
// @unchecked: as for HKObjectType.
final class VerifiableClinicalRecordType: HKSampleType, @unchecked Sendable {
  package override var isShareable: Bool { false }
  override func requiresPerObjectAuthorization() -> Bool { true }
}
