import HealthStorage

/// The changes of which samples somebody wants to hear of.
struct ChangeQuestion: Sendable {
  let filters: [(type: HKSampleType, filter: SampleFilter)]

  init(filters: [(type: HKSampleType, filter: SampleFilter)]) {
    self.filters = filters
  }

  init(_ type: HKSampleType, _ predicate: PredicateTranslation?) throws(HKError) {
    filters = [(type, try predicate?.filter ?? .everything)]
  }

  init(_ descriptors: [HKQueryDescriptor]) throws(HKError) {
    var filters: [(type: HKSampleType, filter: SampleFilter)] = []
    for descriptor in descriptors {
      filters.append((descriptor.sampleType, try descriptor.translation?.filter ?? .everything))
    }
    self.filters = filters
  }

  init<Sample: HKSample>(_ predicates: [HKSamplePredicate<Sample>]) throws(HKError) {
    var filters: [(type: HKSampleType, filter: SampleFilter)] = []
    for predicate in predicates {
      filters.append((predicate.sampleType, try predicate.translation?.filter ?? .everything))
    }
    self.filters = filters
  }

  var types: Set<HKSampleType> { Set(filters.map(\.type)) }
}
