import Testing

@testable import healthkit_coverage

@Suite struct PublicSurfaceTests {
  /// A class, a subclass of it and a subclass of that.
  private func family() -> TinyGraph {
    var graph = TinyGraph()
    for name in ["HKSample", "HKSeriesSample", "HKWorkoutRoute"] { graph.add(name, "swift.class") }
    graph.relate("HKSeriesSample", "inheritsFrom", "HKSample")
    graph.relate("HKWorkoutRoute", "inheritsFrom", "HKSeriesSample")
    return graph
  }

  @Test func `a class has the members of all its superclasses`() throws {
    var graph = family()
    graph.add("HKSample.startDate", "swift.property")
    graph.add("HKSeriesSample.count", "swift.property")
    let names = try graph.surface().names
    #expect(names.isSuperset(of: ["HKWorkoutRoute.count", "HKWorkoutRoute.startDate"]))
    #expect(!names.contains("HKSample.count"))
  }

  @Test func `a class has not the initialisers of its superclass, but those of a protocol's extension`()
    throws
  {
    var graph = family()
    graph.add("HKSample.init(from:)", "swift.init")
    graph.add("HKSample.init(of:)", "swift.init", synthesized: true)
    let names = try graph.surface().names
    #expect(!names.contains("HKWorkoutRoute.init(from:)"))
    #expect(names.contains("HKWorkoutRoute.init(of:)"))
  }

  @Test func `what cannot be called is not there`() throws {
    var graph = family()
    graph.add("HKSample.init()", "swift.init", unavailable: true)
    #expect(try !graph.surface().names.contains("HKSample.init()"))
  }

  @Test func `an enumeration's list of cases is there if it conforms`() throws {
    var graph = TinyGraph()
    graph.add("HKMetricPrefix", "swift.enum")
    graph.relate("HKMetricPrefix", "conformsTo", "C", fallback: "Swift.CaseIterable")
    #expect(try graph.surface().names.contains("HKMetricPrefix.allCases"))
  }

  @Test func `extras are what the module declares and Apple's does not`() throws {
    var graph = family()
    graph.add("HKSample.startDate", "swift.property")
    graph.add("HKSeriesSample.startDate", "swift.property")  // an override
    graph.add("HKSample.hash", "swift.property")
    graph.add("HKSample.first(where:)", synthesized: true)
    graph.add("HKSample.init(from:in:)", "swift.init")
    graph.add("HKLimit", "swift.var")
    let known: Set = ["HKSample", "HKSeriesSample", "HKWorkoutRoute", "HKSample.startDate"]
    #expect(try graph.surface().extras(beyond: known) == ["HKLimit", "HKSample.init(from:in:)"])
  }
}
