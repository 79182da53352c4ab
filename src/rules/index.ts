import type { Rule } from '../rule/rule'
import addressAnnounced from './controller-scope/address-announced'
import addressKept from './controller-scope/address-kept'
import addressSingle from './controller-scope/address-single'
import admissionAdmits from './controller-scope/admission-admits'
import annotationSecretProvided from './controller-scope/annotation-secret-provided'
import annotationSecretRead from './controller-scope/annotation-secret-read'
import annotationsKnown from './controller-scope/annotations-known'
import annotationsParsed from './controller-scope/annotations-parsed'
import applicationAccepted from './controller-scope/application-accepted'
import applicationSeen from './controller-scope/application-seen'
import argumentsSeparate from './controller-scope/arguments-separate'
import authenticationResolves from './controller-scope/authentication-resolves'
import backendAdmits from './controller-scope/backend-admits'
import backendBeside from './controller-scope/backend-beside'
import backendGranted from './controller-scope/backend-granted'
import backendResolves from './controller-scope/backend-resolves'
import balancerBuilt from './controller-scope/balancer-built'
import chartsInflated from './controller-scope/charts-inflated'
import classDefaultSingle from './controller-scope/class-default-single'
import classKept from './controller-scope/class-kept'
import classKnown from './controller-scope/class-known'
import classServed from './controller-scope/class-served'
import configReadable from './controller-scope/config-readable'
import configurationResolves from './controller-scope/configuration-resolves'
import controllerKept from './controller-scope/controller-kept'
import decryptionKept from './controller-scope/decryption-kept'
import deployerResolves from './controller-scope/deployer-resolves'
import deployerSingle from './controller-scope/deployer-single'
import dnsAnnotationsRead from './controller-scope/dns-annotations-read'
import dnsArguments from './controller-scope/dns-arguments'
import egressAdmitted from './controller-scope/egress-admitted'
import electionIsolated from './controller-scope/election-isolated'
import endpointsKept from './controller-scope/endpoints-kept'
import extensionEnabled from './controller-scope/extension-enabled'
import extensionResolves from './controller-scope/extension-resolves'
import flagsKnown from './controller-scope/flags-known'
import gatewayKept from './controller-scope/gateway-kept'
import gatewayProgrammed from './controller-scope/gateway-programmed'
import hostsReached from './controller-scope/hosts-reached'
import identityKnown from './controller-scope/identity-known'
import imageValid from './controller-scope/image-valid'
import istioBackendResolves from './controller-scope/istio-backend-resolves'
import istioGatewayResolves from './controller-scope/istio-gateway-resolves'
import istioGatewaySelects from './controller-scope/istio-gateway-selects'
import istioSubsetResolves from './controller-scope/istio-subset-resolves'
import loadBalancerKept from './controller-scope/load-balancer-kept'
import lockHeld from './controller-scope/lock-held'
import lockUnmanaged from './controller-scope/lock-unmanaged'
import matchValid from './controller-scope/match-valid'
import middlewareKept from './controller-scope/middleware-kept'
import middlewareNamed from './controller-scope/middleware-named'
import middlewarePlaced from './controller-scope/middleware-placed'
import namespaceCreated from './controller-scope/namespace-created'
import namespaceIsolated from './controller-scope/namespace-isolated'
import openshiftRouteResolves from './controller-scope/openshift-route-resolves'
import pathsAccepted from './controller-scope/paths-accepted'
import pathsServed from './controller-scope/paths-served'
import podPortsAdmitted from './controller-scope/pod-ports-admitted'
import podSecurityAdmits from './controller-scope/pod-security-admits'
import podsStart from './controller-scope/pods-start'
import policyAttached from './controller-scope/policy-attached'
import portNamesKept from './controller-scope/port-names-kept'
import probePortsNamed from './controller-scope/probe-ports-named'
import projectPermits from './controller-scope/project-permits'
import proxyProtocolAgreed from './controller-scope/proxy-protocol-agreed'
import publishTarget from './controller-scope/publish-target'
import quotaAdmits from './controller-scope/quota-admits'
import rbacScoped from './controller-scope/rbac-scoped'
import rbacSufficient from './controller-scope/rbac-sufficient'
import recordsKept from './controller-scope/records-kept'
import replicasApart from './controller-scope/replicas-apart'
import requestsAnswered from './controller-scope/requests-answered'
import routeServed from './controller-scope/route-served'
import routerKept from './controller-scope/router-kept'
import selectorKept from './controller-scope/selector-kept'
import serviceReaches from './controller-scope/service-reaches'
import serviceSelects from './controller-scope/service-selects'
import snippetsAccepted from './controller-scope/snippets-accepted'
import snippetsOff from './controller-scope/snippets-off'
import statusKept from './controller-scope/status-kept'
import statusSource from './controller-scope/status-source'
import syntaxKnown from './controller-scope/syntax-known'
import targetPortsListed from './controller-scope/target-ports-listed'
import traefikNamesKnown from './controller-scope/traefik-names-known'
import valuesRead from './controller-scope/values-read'
import valuesResolve from './controller-scope/values-resolve'
import webhookSafe from './controller-scope/webhook-safe'
import annotationsAccepted from './ingress-tls/annotations-accepted'
import certManagerKept from './ingress-tls/cert-manager-kept'
import certificateCoversHost from './ingress-tls/certificate-covers-host'
import certificateIssued from './ingress-tls/certificate-issued'
import certificateUsed from './ingress-tls/certificate-used'
import certificateValid from './ingress-tls/certificate-valid'
import controllerCrash from './ingress-tls/controller-crash'
import credentialsProvided from './ingress-tls/credentials-provided'
import defaultCertificateKept from './ingress-tls/default-certificate-kept'
import definitionFollowed from './ingress-tls/definition-followed'
import entryUsed from './ingress-tls/entry-used'
import fieldsAccepted from './ingress-tls/fields-accepted'
import gatewayAccepted from './ingress-tls/gateway-accepted'
import gatewayCertificate from './ingress-tls/gateway-certificate'
import hostCovered from './ingress-tls/host-covered'
import hostUnique from './ingress-tls/host-unique'
import hostValid from './ingress-tls/host-valid'
import ingressAccepted from './ingress-tls/ingress-accepted'
import issuerAccepted from './ingress-tls/issuer-accepted'
import issuerKnown from './ingress-tls/issuer-known'
import issuerTrusted from './ingress-tls/issuer-trusted'
import listenersAccepted from './ingress-tls/listeners-accepted'
import listenersDistinct from './ingress-tls/listeners-distinct'
import namesKept from './ingress-tls/names-kept'
import objectNamed from './ingress-tls/object-named'
import objectSingle from './ingress-tls/object-single'
import objectValuesAccepted from './ingress-tls/object-values-accepted'
import objectsAccepted from './ingress-tls/objects-accepted'
import podValuesAccepted from './ingress-tls/pod-values-accepted'
import podsAccepted from './ingress-tls/pods-accepted'
import referenceHashed from './ingress-tls/reference-hashed'
import routeAttached from './ingress-tls/route-attached'
import routeUnique from './ingress-tls/route-unique'
import routerCertificate from './ingress-tls/router-certificate'
import secretAgrees from './ingress-tls/secret-agrees'
import secretKept from './ingress-tls/secret-kept'
import secretProvided from './ingress-tls/secret-provided'
import secretType from './ingress-tls/secret-type'
import secretUnsealed from './ingress-tls/secret-unsealed'
import serviceAccepted from './ingress-tls/service-accepted'
import servingSecretSingle from './ingress-tls/serving-secret-single'
import storeKnown from './ingress-tls/store-known'
import tlsKept from './ingress-tls/tls-kept'
import valuesPlaced from './ingress-tls/values-placed'
import valuesShaped from './ingress-tls/values-shaped'
import variablesSet from './ingress-tls/variables-set'
import accountsResolve from './protected-rbac/accounts-resolve'
import accountsUsed from './protected-rbac/accounts-used'
import admissionScope from './protected-rbac/admission-scope'
import applicationsKept from './protected-rbac/applications-kept'
import bindingResolves from './protected-rbac/binding-resolves'
import bindingsAccepted from './protected-rbac/bindings-accepted'
import bindingsKept from './protected-rbac/bindings-kept'
import cleanupSafe from './protected-rbac/cleanup-safe'
import clusterObjectKept from './protected-rbac/cluster-object-kept'
import copiesPlaced from './protected-rbac/copies-placed'
import namesResolve from './protected-rbac/names-resolve'
import notWidened from './protected-rbac/not-widened'
import objectKept from './protected-rbac/object-kept'
import patchedGrantsKept from './protected-rbac/patched-grants-kept'
import permissionsKept from './protected-rbac/permissions-kept'
import permissionsUsed from './protected-rbac/permissions-used'
import pruneSafe from './protected-rbac/prune-safe'
import reconciliationKept from './protected-rbac/reconciliation-kept'
import resourcesDefined from './protected-rbac/resources-defined'
import resourcesKnown from './protected-rbac/resources-known'
import roleRefKept from './protected-rbac/role-ref-kept'
import rolesBound from './protected-rbac/roles-bound'
import rolesResolve from './protected-rbac/roles-resolve'
import rulesAccepted from './protected-rbac/rules-accepted'
import secretsWithheld from './protected-rbac/secrets-withheld'
import subjectsKept from './protected-rbac/subjects-kept'
import webhookScope from './protected-rbac/webhook-scope'
import apiServed from './version-matrix/api-served'
import componentsAgree from './version-matrix/components-agree'
import crdsFollow from './version-matrix/crds-follow'
import definitionServes from './version-matrix/definition-serves'
import definitionsAccepted from './version-matrix/definitions-accepted'
import downgradeSafe from './version-matrix/downgrade-safe'
import kernelSupported from './version-matrix/kernel-supported'
import knownDefect from './version-matrix/known-defect'
import kubernetesSupported from './version-matrix/kubernetes-supported'
import rbacMatchesVersion from './version-matrix/rbac-matches-version'
import releaseServes from './version-matrix/release-serves'
import versionSkew from './version-matrix/version-skew'

/** Every rule, sorted by id. Docs, schemas and tests are made from this list. */
export const rules: readonly Rule[] = [
  addressAnnounced,
  addressKept,
  addressSingle,
  admissionAdmits,
  annotationSecretProvided,
  annotationSecretRead,
  annotationsKnown,
  annotationsParsed,
  applicationAccepted,
  applicationSeen,
  argumentsSeparate,
  authenticationResolves,
  backendAdmits,
  backendBeside,
  backendGranted,
  backendResolves,
  balancerBuilt,
  chartsInflated,
  classDefaultSingle,
  classKept,
  classKnown,
  classServed,
  configReadable,
  configurationResolves,
  controllerKept,
  decryptionKept,
  deployerResolves,
  deployerSingle,
  dnsAnnotationsRead,
  dnsArguments,
  egressAdmitted,
  electionIsolated,
  endpointsKept,
  extensionEnabled,
  extensionResolves,
  flagsKnown,
  gatewayKept,
  gatewayProgrammed,
  hostsReached,
  identityKnown,
  imageValid,
  istioBackendResolves,
  istioGatewayResolves,
  istioGatewaySelects,
  istioSubsetResolves,
  loadBalancerKept,
  lockHeld,
  lockUnmanaged,
  matchValid,
  middlewareKept,
  middlewareNamed,
  middlewarePlaced,
  namespaceCreated,
  namespaceIsolated,
  openshiftRouteResolves,
  pathsAccepted,
  pathsServed,
  podPortsAdmitted,
  podSecurityAdmits,
  podsStart,
  policyAttached,
  portNamesKept,
  probePortsNamed,
  projectPermits,
  proxyProtocolAgreed,
  publishTarget,
  quotaAdmits,
  rbacScoped,
  rbacSufficient,
  recordsKept,
  replicasApart,
  requestsAnswered,
  routeServed,
  routerKept,
  selectorKept,
  serviceReaches,
  serviceSelects,
  snippetsAccepted,
  snippetsOff,
  statusKept,
  statusSource,
  syntaxKnown,
  targetPortsListed,
  traefikNamesKnown,
  valuesRead,
  valuesResolve,
  webhookSafe,
  annotationsAccepted,
  certManagerKept,
  certificateCoversHost,
  certificateIssued,
  certificateUsed,
  certificateValid,
  controllerCrash,
  credentialsProvided,
  defaultCertificateKept,
  definitionFollowed,
  entryUsed,
  fieldsAccepted,
  gatewayAccepted,
  gatewayCertificate,
  hostCovered,
  hostUnique,
  hostValid,
  ingressAccepted,
  issuerAccepted,
  issuerKnown,
  issuerTrusted,
  listenersAccepted,
  listenersDistinct,
  namesKept,
  objectNamed,
  objectSingle,
  objectValuesAccepted,
  objectsAccepted,
  podValuesAccepted,
  podsAccepted,
  referenceHashed,
  routeAttached,
  routeUnique,
  routerCertificate,
  secretAgrees,
  secretKept,
  secretProvided,
  secretType,
  secretUnsealed,
  serviceAccepted,
  servingSecretSingle,
  storeKnown,
  tlsKept,
  valuesPlaced,
  valuesShaped,
  variablesSet,
  accountsResolve,
  accountsUsed,
  admissionScope,
  applicationsKept,
  bindingResolves,
  bindingsAccepted,
  bindingsKept,
  cleanupSafe,
  clusterObjectKept,
  copiesPlaced,
  namesResolve,
  notWidened,
  objectKept,
  patchedGrantsKept,
  permissionsKept,
  permissionsUsed,
  pruneSafe,
  reconciliationKept,
  resourcesDefined,
  resourcesKnown,
  roleRefKept,
  rolesBound,
  rolesResolve,
  rulesAccepted,
  secretsWithheld,
  subjectsKept,
  webhookScope,
  apiServed,
  componentsAgree,
  crdsFollow,
  definitionServes,
  definitionsAccepted,
  downgradeSafe,
  kernelSupported,
  knownDefect,
  kubernetesSupported,
  rbacMatchesVersion,
  releaseServes,
  versionSkew,
]
