import Testing

@testable import healthkit_coverage

@Suite struct PublicSurfaceTests {
  /// Returns the symbol graph of a class, its subclass, and a subclass of that subclass.
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

  @Test func `a class inherits initializers of protocol extensions, but not those of its superclass`()
    throws
  {
    var graph = family()
    graph.add("HKSample.init(from:)", "swift.init")
    graph.add("HKSample.init(of:)", "swift.init", synthesized: true)
    let names = try graph.surface().names
    #expect(!names.contains("HKWorkoutRoute.init(from:)"))
    #expect(names.contains("HKWorkoutRoute.init(of:)"))
  }

  @Test func `an unavailable symbol is absent`() throws {
    var graph = family()
    graph.add("HKSample.init()", "swift.init", unavailable: true)
    #expect(try !graph.surface().names.contains("HKSample.init()"))
  }

  @Test func `allCases is present if the enumeration conforms to CaseIterable`() throws {
    var graph = TinyGraph()
    graph.add("HKMetricPrefix", "swift.enum")
    graph.relate("HKMetricPrefix", "conformsTo", "C", fallback: "Swift.CaseIterable")
    #expect(try graph.surface().names.contains("HKMetricPrefix.allCases"))
  }

  @Test func `extras are the symbols that only our module declares`() throws {
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
