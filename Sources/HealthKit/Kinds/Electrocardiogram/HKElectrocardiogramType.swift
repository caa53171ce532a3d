/// The type of electrocardiograms. Programs read them and cannot save them.
// @unchecked: as for HKObjectType.
public final class HKElectrocardiogramType: HKSampleType, @unchecked Sendable {
  package override var isShareable: Bool { false }
}
