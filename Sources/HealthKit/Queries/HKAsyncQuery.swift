/// A question that is answered once.
public protocol HKAsyncQuery {
  associatedtype Output

  /// The answer, of one snapshot of the store.
  func result(for store: HKHealthStore) async throws -> Output
}

/// A question that is answered piece by piece, or again and again.
public protocol HKAsyncSequenceQuery {
  associatedtype Sequence: AsyncSequence

  func results(for store: HKHealthStore) -> Sequence
}

extension HKSampleQueryDescriptor: HKAsyncQuery {}
extension HKAnchoredObjectQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery {}
extension HKStatisticsQueryDescriptor: HKAsyncQuery {}
extension HKStatisticsCollectionQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery {}
extension HKSourceQueryDescriptor: HKAsyncQuery {}
extension HKHeartbeatSeriesQueryDescriptor: HKAsyncSequenceQuery {}
extension HKQuantitySeriesSampleQueryDescriptor: HKAsyncSequenceQuery {}
extension HKWorkoutRouteQueryDescriptor: HKAsyncSequenceQuery {}
extension HKElectrocardiogramQueryDescriptor: HKAsyncSequenceQuery {}
